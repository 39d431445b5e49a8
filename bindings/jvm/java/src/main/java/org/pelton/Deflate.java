package org.pelton;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * Compression of blocks with DEFLATE. Each block is a complete stream.
 *
 * <p>A value has no state outside the heap, so there is nothing to close, and threads may share it.
 * Sources and targets are arrays, or buffers on the heap or outside it. If the library is not
 * loaded, {@link Deflater} compresses.
 *
 * <pre>{@code
 * byte[] block = new Deflate(Format.GZIP, 6).compress(data);
 * }</pre>
 */
public final class Deflate {
    private final Format format;
    private final int level;

    /**
     * A compressor.
     *
     * @param level 1 (fast) to 9 (small); 0 stores; -1 is 6
     * @throws IllegalArgumentException for another level
     */
    public Deflate(Format format, int level) {
        checkLevel(level);
        this.format = java.util.Objects.requireNonNull(format, "format");
        this.level = level;
        Pelton.check();
    }

    /** Checks a level. */
    static void checkLevel(int level) {
        if (level < -1 || level > 9) {
            throw new IllegalArgumentException("level " + level + " is not one of -1 to 9");
        }
    }

    /** Returns the largest size of a compressed block of {@code length} bytes. */
    public static int maxCompressedLength(int length) {
        if (length < 0) {
            throw new IllegalArgumentException("a length of " + length);
        }
        // Stored blocks add five bytes each; two for every 16 KB leave room for any division into
        // pieces.
        return Math.toIntExact(length + (long) (length >>> 10) + 64);
    }

    /** Returns a compressed block. */
    public byte[] compress(byte[] source) {
        byte[] target = new byte[maxCompressedLength(source.length)];
        return java.util.Arrays.copyOf(target, compress(source, 0, source.length, target, 0, target.length));
    }

    /**
     * Compresses a block from one array to another.
     *
     * @return the size of the compressed block
     * @throws IllegalArgumentException if the target is too small; {@link #maxCompressedLength} is
     *     always enough
     * @throws IndexOutOfBoundsException if a range is not within its array
     */
    public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength) {
        Bytes.check(source, offset, length);
        Bytes.check(target, targetOffset, targetLength);
        if (!Native.isAvailable()) {
            return withJdk(source, offset, length, target, targetOffset, targetLength);
        }
        long result = Native.compressBlock(
                format.number(), level, source, offset, length, target, targetOffset, targetLength);
        return Native.produced(checked(result, length));
    }

    /**
     * Compresses the remaining bytes of a buffer to another one, and moves both positions.
     *
     * @return the size of the compressed block
     * @throws IllegalArgumentException if the target is too small
     */
    public int compress(ByteBuffer source, ByteBuffer target) {
        if (!Native.isAvailable()) {
            return withJdk(source, target);
        }
        Bytes from = Bytes.source(source);
        Bytes to = Bytes.target(target);
        long result = Native.compressBlock(
                format.number(), level, from.array, from.at, from.length, to.array, to.at, to.length);
        int produced = Native.produced(checked(result, from.length));
        Bytes.advance(source, from.length);
        Bytes.advance(target, produced);
        return produced;
    }

    /**
     * Compresses many blocks in one call, and moves the positions of all buffers.
     *
     * @param sources a block each
     * @param targets where the compressed blocks go, in the same order; they may not overlap
     * @throws IllegalArgumentException if the numbers differ or a target is too small; no position
     *     is moved then
     */
    public void compressAll(ByteBuffer[] sources, ByteBuffer[] targets) {
        Batch.checkLengths(sources, targets);
        if (!Native.isAvailable()) {
            for (int i = 0; i < sources.length; i++) {
                withJdk(sources[i], targets[i]);
            }
            return;
        }
        Batch batch = new Batch(sources, targets);
        long failed = Native.compressAll(
                format.number(), level, batch.count, batch.sources, batch.targets, batch.spans);
        if (checked(failed, 0) > 0) {
            int first = batch.firstFailure();
            checked(batch.produced(first), sources[first].remaining());
        }
        batch.advance();
    }

    private static long checked(long result, int length) {
        return result >= 0 ? result : checked(result, length, maxCompressedLength(length));
    }

    /** Checks the result of compressing {@code length} bytes, for which {@code bound} suffice. */
    static long checked(long result, int length, int bound) {
        if (result >= 0) {
            return result;
        }
        switch ((int) result) {
            case Native.TOO_SMALL:
                throw new IllegalArgumentException("the target is too small for the compressed block: "
                        + bound + " bytes are always enough for " + length);
            case Native.OUT_OF_MEMORY:
                throw new OutOfMemoryError("pelton: there is no memory outside the heap to compress with");
            default:
                throw new InternalError("pelton: compression failed with code " + result);
        }
    }

    private int withJdk(ByteBuffer source, ByteBuffer target) {
        byte[] input = new byte[source.remaining()];
        source.duplicate().get(input);
        byte[] output = compress(input);
        if (output.length > target.remaining()) {
            checked(Native.TOO_SMALL, input.length);
        }
        target.put(output);
        Bytes.advance(source, input.length);
        return output.length;
    }

    private int withJdk(byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength) {
        boolean gzip = format == Format.GZIP;
        int header = gzip ? Gzip.HEADER : 0;
        int trailer = gzip ? Gzip.TRAILER : 0;
        if (targetLength < header + trailer) {
            return (int) checked(Native.TOO_SMALL, length);
        }
        Deflater deflater = new Deflater(level, format != Format.ZLIB);
        try {
            deflater.setInput(source, offset, length);
            deflater.finish();
            int written = deflater.deflate(target, targetOffset + header, targetLength - header - trailer);
            if (!deflater.finished()) {
                return (int) checked(Native.TOO_SMALL, length);
            }
            if (gzip) {
                CRC32 crc = new CRC32();
                crc.update(source, offset, length);
                Gzip.writeHeader(target, targetOffset);
                Gzip.writeTrailer(target, targetOffset + header + written, (int) crc.getValue(), length);
            }
            return header + written + trailer;
        } finally {
            deflater.end();
        }
    }
}
