#!/usr/bin/env bash
# Links libpelton_z.so from the archive that cargo builds: link.sh ARCHIVE OUTPUT
# docs/decisions/0009-linking-libz-by-script.md says why cargo does not link it.
set -euo pipefail
[ $# -eq 2 ] || { echo "usage: $0 ARCHIVE OUTPUT" >&2; exit 2; }
archive=$1 output=$2
symbols=$(dirname "$0")/symbols.txt
compiler=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

awk '!/^#/ { print $1 }' "$symbols" >"$work/keep"
# A node for each version, with the one before it as its parent, as in zlib.
awk '!/^#/ && NF == 2 { print $2, $1 }' "$symbols" | sort -V | awk '
	$1 != node { if (node) print "}" parent ";"; if (node) parent = " " node; node = $1; print node " { global:" }
	{ print "  " $2 ";" }
	END { print "}" parent ";" }' >"$work/versions"

# One object with all that the functions need, then all other symbols made local.
sed 's/^/-Wl,-u,/' "$work/keep" >"$work/roots"
"$compiler" -nostdlib -r -Wl,--gc-sections "@$work/roots" -o "$work/all.o" "$archive"
"${OBJCOPY:-objcopy}" --keep-global-symbols="$work/keep" "$work/all.o" "$work/api.o"

# -static-libgcc includes the unwinder, so that only libc is needed. -Bsymbolic-functions keeps our
# functions calling each other where another libz was loaded before.
"$compiler" -shared -static-libgcc -Wl,-soname,libz.so.1 -Wl,--version-script="$work/versions" \
	-Wl,--gc-sections -Wl,--as-needed -Wl,-Bsymbolic-functions -Wl,-z,relro,-z,now,-z,defs,-z,noexecstack -Wl,-s \
	-o "$work/libz.so" "$work/api.o"
# A program may have the old library open, so the new one replaces it in one step.
cp "$work/libz.so" "$output.$$"
mv -f "$output.$$" "$output"
