#!/usr/bin/env bash
# Links libpelton_z.so from the archive that cargo builds: link.sh ARCHIVE OUTPUT
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 ARCHIVE OUTPUT" >&2; exit 2; }
here=$(dirname "$0")
# The last argument links src/process/load.c.
exec "$here/../../scripts/link-library" "$1" "$here/symbols.txt" libz.so.1 "$2" pelton_z_is_library
