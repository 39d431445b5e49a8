"""The ``pelton`` command."""

import os
import signal
import sys

from . import _pelton


def main() -> None:
    """Runs the command with the process's arguments, and ends the process with its exit code."""
    # The command handles Ctrl-C itself: the first one stops the query, the second ends the process.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # As the program does: all hardware queues of a GPU, before its driver starts.
    os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", "32")
    sys.exit(_pelton.cli(["pelton", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
