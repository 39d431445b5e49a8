package org.pelton;

import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;

/**
 * Decompression of blocks of Snappy without a frame, as Parquet's {@code SNAPPY} has them. They
 * begin with their decompressed size, and have no checksum.
 *
 * <p>The JDK has no Snappy, so {@link #decompress} needs the library: see {@link
 * Pelton#isAvailable}. Threads may call the methods at the same time.
 */
public final class Snappy {
    /** Largest number of bytes of a size, and the bits of each of them that count. */
    private static final int SIZE_BYTES = 5;
    private static final int SIZE_BITS = 7;
    /** Bytes of a block's longest copy, and bytes that stand for it. */
    private static final long COPY = 64;
    private static final int COPY_BYTES = 3;

    private Snappy() {}

    /** Returns the largest size of a block whose compressed form has {@code length} bytes. */
    public static long maxDecompressedLength(int length) {
        return (COPY * length + COPY_BYTES - 1) / COPY_BYTES;
    }

    /**
     * Returns the size that a compressed block says it has; the position stays.
     *
     * @throws DataFormatException if the block has no size, or one that blocks of its length can't
     *     have
     */
    public static int decompressedLength(ByteBuffer block) throws DataFormatException {
        int at = block.position();
        int length = block.remaining();
        long size = 0;
        for (int i = 0; i < Math.min(length, SIZE_BYTES); i++) {
            int value = block.get(at + i);
            size |= (long) (value & 127) << SIZE_BITS * i;
            if (value >= 0) {
                if (size > Math.min(Integer.MAX_VALUE, maxDecompressedLength(length))) {
                    throw new DataFormatException(
                            "the block claims " + size + " bytes, which its " + length + " bytes can't give");
                }
                return (int) size;
            }
        }
        throw new DataFormatException("the block has no size");
    }

    /**
     * Decompresses the remaining bytes of a buffer, which are one block, to another one, and moves
     * both positions.
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
        long result = Native.decompressSnappy(from.array, from.at, from.length, to.array, to.at, to.length);
        Inflate.checked(result, to.length);
        Bytes.advance(source, from.length);
        Bytes.advance(target, (int) result);
        return (int) result;
    }
}
