#!/usr/bin/env bash
# Assembles the package without pip: `assemble.sh LIBRARY FOLDER` makes FOLDER/pelton of the
# workspace's lib_pelton.so and the Python files in this folder. Tests use it to avoid a build.
set -euo pipefail
library=$(realpath "$1")
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder/pelton"
cp -R "$here/python/pelton/." "$folder/pelton/"
# A link, as the library is large; the loader takes its name from the link.
ln -sf "$library" "$folder/pelton/_pelton.abi3.so"
