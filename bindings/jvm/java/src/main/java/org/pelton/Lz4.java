package org.pelton;

import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;

/**
 * Blocks of LZ4 without a frame, as Parquet's {@code LZ4_RAW} has them. They store neither their
 * decompressed size nor a checksum.
 *
 * <p>The JDK has no LZ4, so all methods need the library: see {@link Pelton#isAvailable}. Threads
 * may call them at the same time.
 */
public final class Lz4 {
    /** Longest block before compression, in bytes. */
    public static final int MAX_LENGTH = 0x7E000000;

    /** Bytes that a byte of a compressed block gives at most. */
    private static final int MAX_RATIO = 255;

    private Lz4() {}

    /**
     * Returns the largest size of a compressed block of {@code length} bytes.
     *
     * @throws IllegalArgumentException if {@code length} is negative or above {@link #MAX_LENGTH}
     */
    public static int maxCompressedLength(int length) {
        if (length < 0 || length > MAX_LENGTH) {
            throw new IllegalArgumentException("a length of " + length);
        }
        return Math.toIntExact(length + (long) (length / MAX_RATIO) + 16);
    }

    /** Returns the largest size of a block whose compressed form has {@code length} bytes. */
    public static long maxDecompressedLength(int length) {
        return (long) MAX_RATIO * length;
    }

    /**
     * Compresses the remaining bytes of a buffer to another one, and moves both positions.
     *
     * @param target may not overlap the source
     * @return the size of the compressed block
     * @throws IllegalArgumentException if the source is longer than {@link #MAX_LENGTH}, or the
     *     target too small; {@link #maxCompressedLength} is always enough
     * @throws IllegalStateException if the library is not loaded
     */
    public static int compress(ByteBuffer source, ByteBuffer target) {
        Native.checkAvailable();
        Bytes from = Bytes.source(source);
        Bytes to = Bytes.target(target);
        int bound = maxCompressedLength(from.length);
        long result = Native.compressLz4(from.array, from.at, from.length, to.array, to.at, to.length);
        int produced = (int) Deflate.checked(result, from.length, bound);
        Bytes.advance(source, from.length);
        Bytes.advance(target, produced);
        return produced;
    }

    /**
     * Decompresses the remaining bytes of a buffer, which are one block, to another one, and moves
     * both positions. Memory for it follows the size of the source, however large the target is.
     *
     * @param target may not overlap the source
     * @return the size of the decompressed block
     * @throws DataFormatException if the block is corrupt or incomplete, or the target is too
     *     small; no position is moved then
     * @throws IllegalStateException if the library is not loaded
     */
    public static int decompress(ByteBuffer source, ByteBuffer target) throws DataFormatException {
        Native.checkAvailable();
        Bytes from = Bytes.source(source);
        Bytes to = Bytes.target(target);
        long result = Native.decompressLz4(from.array, from.at, from.length, to.array, to.at, to.length);
        Inflate.checked(result, to.length);
        Bytes.advance(source, from.length);
        Bytes.advance(target, (int) result);
        return (int) result;
    }
}
