"""Records of measurements: Markdown for people and JSON for programs, in a folder named after the day and the processor."""

import datetime
import json
import os
import pathlib
import platform
import re
import sys


def _cpu():
    try:
        text = pathlib.Path("/proc/cpuinfo").read_text()
        return re.search(r"model name\s*:\s*(.*)", text).group(1)
    except (OSError, AttributeError):
        return platform.processor() or "unknown"


def _heading(name, systems, started):
    now = datetime.datetime.now(datetime.timezone.utc)
    load = ", ".join(f"{value:.2f}" for value in (started, os.getloadavg()[0]))
    return [
        f"# {name}",
        "",
        f"{now:%Y-%m-%d %H:%M} UTC, on {_cpu()}, {len(os.sched_getaffinity(0))} cores, Python {platform.python_version()}. "
        f"Load average at the start and at the end: {load}: what it had to share the machine with.",
        "",
        "; ".join(systems) + ".",
        "",
        "```",
        " ".join(["python", *sys.argv]),
        "```",
        "",
    ]


def write(folder, name, systems, started, lines, results):
    """Writes both files, and says where."""
    slug = "-".join(re.findall(r"[a-z0-9]+", _cpu().lower()))
    day = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    place = pathlib.Path(folder) / f"{day}-{slug}"
    place.mkdir(parents=True, exist_ok=True)
    (place / f"{name}.md").write_text("\n".join(_heading(name, systems, started) + lines) + "\n")
    (place / f"{name}.json").write_text(json.dumps({"systems": systems, "command": sys.argv, "results": results}, indent=1) + "\n")
    print(f"recorded in {place}/{name}.md")
