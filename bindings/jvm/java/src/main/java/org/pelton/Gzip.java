package org.pelton;

import java.util.zip.CRC32;
import java.util.zip.DataFormatException;

/**
 * Headers and trailers of gzip (RFC 1952), and the field of Pelton's blocks.
 *
 * <p>A member that {@link PeltonOutputStream} writes has an extra field with the subfield "PB" of
 * four bytes: the length of the whole member, little-endian. So a reader finds the next member
 * without decompressing. Any other reader sees a gzip file of several members.
 */
final class Gzip {
    static final int HEADER = 10;
    static final int TRAILER = 8;
    /** Header of a member with the field alone. */
    static final int BLOCK_HEADER = HEADER + 2 + 4 + 4;
    /** Smallest member with the field: an empty block. */
    static final int MIN_BLOCK = BLOCK_HEADER + 2 + TRAILER;

    /** Flags of a header. */
    static final int FHCRC = 2;
    static final int FEXTRA = 4;
    static final int FNAME = 8;
    static final int FCOMMENT = 16;

    private Gzip() {}

    static void writeHeader(byte[] to, int at) {
        java.util.Arrays.fill(to, at, at + HEADER, (byte) 0);
        to[at] = 31;
        to[at + 1] = (byte) 139;
        to[at + 2] = 8;
        // The operating system is not known.
        to[at + 9] = (byte) 255;
    }

    /** Writes the header of a block whose member has this length. */
    static void writeBlockHeader(byte[] to, int at, int member) {
        writeHeader(to, at);
        to[at + 3] = FEXTRA;
        to[at + 10] = 8;
        to[at + 11] = 0;
        to[at + 12] = 'P';
        to[at + 13] = 'B';
        to[at + 14] = 4;
        to[at + 15] = 0;
        writeInt(to, at + 16, member);
    }

    static void writeTrailer(byte[] to, int at, int crc, int length) {
        writeInt(to, at, crc);
        writeInt(to, at + 4, length);
    }

    static void writeInt(byte[] to, int at, int value) {
        for (int i = 0; i < 4; i++) {
            to[at + i] = (byte) (value >>> 8 * i);
        }
    }

    static int readInt(byte[] from, int at) {
        return from[at] & 255 | (from[at + 1] & 255) << 8 | (from[at + 2] & 255) << 16 | (from[at + 3] & 255) << 24;
    }

    static boolean isMagic(byte[] from, int at) {
        return from[at] == 31 && from[at + 1] == (byte) 139;
    }

    /**
     * Returns the length of the member that begins here, from its field; 0 if it has none, is
     * shorter than its header, or claims less than it can have. {@code length} bytes from {@code
     * at} are there.
     */
    static int blockLength(byte[] from, int at, int length) {
        if (length < BLOCK_HEADER || !isMagic(from, at) || from[at + 2] != 8 || from[at + 3] != FEXTRA) {
            return 0;
        }
        boolean alone = from[at + 10] == 8 && from[at + 11] == 0;
        boolean ours = from[at + 12] == 'P' && from[at + 13] == 'B' && from[at + 14] == 4 && from[at + 15] == 0;
        int member = readInt(from, at + 16);
        return alone && ours && member >= MIN_BLOCK ? member : 0;
    }

    /**
     * Returns the length of a header; one more than {@code length} at least if more bytes belong to
     * it.
     */
    static int headerLength(byte[] from, int at, int length) throws DataFormatException {
        if (length < HEADER) {
            return HEADER;
        }
        int flags = from[at + 3] & 255;
        if (!isMagic(from, at) || from[at + 2] != 8 || flags > 31) {
            throw new DataFormatException("it is not a gzip stream");
        }
        int end = HEADER;
        if ((flags & FEXTRA) != 0) {
            if (length < end + 2) {
                return end + 2;
            }
            end += 2 + (from[at + end] & 255 | (from[at + end + 1] & 255) << 8);
        }
        for (int texts = Integer.bitCount(flags & (FNAME | FCOMMENT)); texts > 0; texts--) {
            while (end < length && from[at + end] != 0) {
                end++;
            }
            end++;
        }
        if ((flags & FHCRC) == 0) {
            return end;
        }
        if (end + 2 <= length) {
            CRC32 crc = new CRC32();
            crc.update(from, at, end);
            int expected = from[at + end] & 255 | (from[at + end + 1] & 255) << 8;
            if (((int) crc.getValue() & 0xffff) != expected) {
                throw new DataFormatException("the checksum of the gzip header does not match");
            }
        }
        return end + 2;
    }

    /** Checks the trailer at {@code at}. */
    static void checkTrailer(byte[] from, int at, int crc, int length) throws DataFormatException {
        if (from.length - at < TRAILER) {
            throw new DataFormatException("the gzip trailer ends too early");
        }
        if (readInt(from, at) != crc || readInt(from, at + 4) != length) {
            throw new DataFormatException("the checksum or length of the gzip trailer does not match");
        }
    }
}
