"""Inflates raw DEFLATE streams with zlib and compares them with what they were made of.

Usage: inflate.py FILE

The file has for each stream the length of the plain and of the packed bytes, 32 bits little-endian each, and these bytes.
Prints the number of streams.
"""

import struct
import sys
import zlib


def main():
    data = open(sys.argv[1], "rb").read()
    at, streams = 0, 0
    while at < len(data):
        plain_len, packed_len = struct.unpack_from("<II", data, at)
        at += 8
        plain = data[at : at + plain_len]
        at += plain_len
        packed = data[at : at + packed_len]
        at += packed_len
        decoder = zlib.decompressobj(wbits=-15)
        # One byte more, to see output that goes on.
        found = decoder.decompress(packed, plain_len + 1)
        if found != plain or not decoder.eof or decoder.unused_data:
            sys.exit(f"stream {streams}, of {plain_len} bytes: {len(found)} bytes came out, eof {decoder.eof}")
        streams += 1
    print(streams)


main()
