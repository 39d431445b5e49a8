package org.pelton;

/** Containers around a stream of DEFLATE (RFC 1951). */
public enum Format {
    /** The stream alone. */
    RAW,
    /** With zlib's header and Adler-32 (RFC 1950). */
    ZLIB,
    /** With gzip's header and CRC-32 (RFC 1952). */
    GZIP;

    /** Returns the number that the library knows the container by. */
    int number() {
        return ordinal();
    }
}
