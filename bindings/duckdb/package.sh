#!/bin/bash
# Makes a DuckDB extension, OUT, of a library, LIB, by adding the footer that DuckDB reads: metadata
# of 512 bytes (`ParsedExtensionMetaData` in DuckDB's `extension.cpp`), in a custom section of
# WebAssembly with a header of 22 bytes.
set -euo pipefail
[[ $# == 2 ]] || { echo "usage: $0 LIB OUT, such as target/release/libpelton_duckdb.so pelton.duckdb_extension" >&2; exit 2; }
lib=$1 out=$2

case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) platform=linux_amd64 ;;
  Linux-aarch64) platform=linux_arm64 ;;
  Darwin-x86_64) platform=osx_amd64 ;;
  Darwin-arm64) platform=osx_arm64 ;;
  *) echo "$0: DuckDB has no name for $(uname -s) on $(uname -m) that this script knows" >&2; exit 1 ;;
esac
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$(dirname "$0")/../../Cargo.toml" | head -1)

# A field has 32 bytes.
field() {
  printf '%s' "$1"
  head -c $((32 - ${#1})) /dev/zero
}

mkdir -p "$(dirname "$out")"
temporary=$(mktemp "$out.XXXXXX")
trap 'rm -f "$temporary"' EXIT
{
  cat "$lib"
  # Section 0, 531 bytes; its name, of 16 bytes; 512 bytes of content.
  printf '\x00\x93\x04\x10duckdb_signature\x80\x04'
  # From the last field to the first; three are unused.
  field ''; field ''; field ''
  field C_STRUCT
  field "v$version"
  field v1.5.6
  field "$platform"
  field 4
  # Place of a signature.
  head -c 256 /dev/zero
} > "$temporary"
chmod 644 "$temporary"
mv "$temporary" "$out"
