package org.pelton;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;

/**
 * Decompression of blocks of DEFLATE, each a complete stream whose checksum is checked.
 *
 * <p>As {@link Deflate}, a value has nothing to close, and threads may share it. If the library is
 * not loaded, {@link Inflater} decompresses.
 */
public final class Inflate {
    private final Format format;

    /** A decompressor for streams in this container. */
    public Inflate(Format format) {
        this.format = java.util.Objects.requireNonNull(format, "format");
        Pelton.check();
    }

    /**
     * Decompresses a block from one array to another.
     *
     * @return the size of the decompressed block
     * @throws DataFormatException if the block is corrupt or incomplete, if bytes follow it, or if
     *     the target is too small for it; the target's contents are unspecified then
     * @throws IndexOutOfBoundsException if a range is not within its array
     */
    public int decompress(byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
            throws DataFormatException {
        Bytes.check(source, offset, length);
        Bytes.check(target, targetOffset, targetLength);
        if (!Native.isAvailable()) {
            ByteBuffer from = ByteBuffer.wrap(source, offset, length);
            int produced = withJdk(from, ByteBuffer.wrap(target, targetOffset, targetLength));
            checkEnd(from.remaining());
            return produced;
        }
        long result = Native.decompressBlock(
                format.number(), source, offset, length, target, targetOffset, targetLength);
        checked(result, targetLength);
        checkEnd(length - Native.consumed(result));
        return Native.produced(result);
    }

    /**
     * Decompresses the block at the position of a buffer to another one, and moves both positions.
     * Bytes after the block stay in the source.
     *
     * @return the size of the decompressed block
     * @throws DataFormatException if the block is corrupt or incomplete, or the target is too
     *     small; no position is moved then
     */
    public int decompress(ByteBuffer source, ByteBuffer target) throws DataFormatException {
        if (!Native.isAvailable()) {
            return withJdk(source, target);
        }
        Bytes from = Bytes.source(source);
        Bytes to = Bytes.target(target);
        long result = Native.decompressBlock(
                format.number(), from.array, from.at, from.length, to.array, to.at, to.length);
        checked(result, to.length);
        Bytes.advance(source, Native.consumed(result));
        Bytes.advance(target, Native.produced(result));
        return Native.produced(result);
    }

    /**
     * Decompresses many blocks in one call, several of them interleaved, which is faster than one
     * by one from four blocks on. Moves the positions of all buffers.
     *
     * @param sources a block each
     * @param targets where the decompressed blocks go, in the same order; they may not overlap
     * @throws DataFormatException if a block is corrupt or its target too small; the text names the
     *     first, and no position is moved
     * @throws IllegalArgumentException if the numbers differ
     */
    public void decompressAll(ByteBuffer[] sources, ByteBuffer[] targets) throws DataFormatException {
        Batch.checkLengths(sources, targets);
        if (!Native.isAvailable()) {
            decompressWithJdk(sources, targets);
            return;
        }
        Batch batch = new Batch(sources, targets);
        long failed = Native.decompressAll(format.number(), batch.count, batch.sources, batch.targets, batch.spans);
        checked(failed, 0);
        if (failed > 0) {
            int first = batch.firstFailure();
            try {
                checked(batch.produced(first), targets[first].remaining());
            } catch (DataFormatException error) {
                throw new DataFormatException("block " + first + ": " + error.getMessage());
            }
        }
        batch.advance();
    }

    private void decompressWithJdk(ByteBuffer[] sources, ByteBuffer[] targets) throws DataFormatException {
        for (int i = 0; i < sources.length; i++) {
            try {
                withJdk(sources[i], targets[i]);
            } catch (DataFormatException error) {
                throw new DataFormatException("block " + i + ": " + error.getMessage());
            }
        }
    }

    private static void checkEnd(int rest) throws DataFormatException {
        if (rest > 0) {
            throw new DataFormatException(rest + " bytes follow the block");
        }
    }

    static void checked(long result, int capacity) throws DataFormatException {
        if (result >= 0) {
            return;
        }
        switch ((int) result) {
            case Native.TOO_SMALL:
                throw new DataFormatException("the block is longer than the " + capacity + " bytes of the target");
            case Native.CORRUPT:
                throw new DataFormatException("the block is corrupt");
            case Native.INCOMPLETE:
                throw new DataFormatException("the block ends too early");
            case Native.DICTIONARY:
                throw new DataFormatException("the block needs a preset dictionary");
            case Native.CLOSED:
                throw new IllegalStateException("it is closed");
            case Native.BUSY:
                throw new IllegalStateException("another thread uses it");
            case Native.OUT_OF_MEMORY:
                throw new OutOfMemoryError("pelton: there is no memory outside the heap to decompress with");
            default:
                throw new InternalError("pelton: decompression failed with code " + result);
        }
    }

    private int withJdk(ByteBuffer source, ByteBuffer target) throws DataFormatException {
        byte[] input = new byte[source.remaining()];
        source.duplicate().get(input);
        byte[] output = new byte[target.remaining()];
        int header = format == Format.GZIP ? Gzip.headerLength(input, 0, input.length) : 0;
        if (header > input.length) {
            throw new DataFormatException("the gzip header ends too early");
        }
        Inflater inflater = new Inflater(format != Format.ZLIB);
        try {
            inflater.setInput(input, header, input.length - header);
            int produced = inflater.inflate(output);
            if (!inflater.finished() && produced == output.length) {
                // The end of a stream that fits exactly may not be read yet.
                produced += inflater.inflate(new byte[1]);
            }
            if (inflater.needsDictionary()) {
                checked(Native.DICTIONARY, output.length);
            } else if (produced > output.length) {
                checked(Native.TOO_SMALL, output.length);
            } else if (!inflater.finished()) {
                checked(Native.INCOMPLETE, output.length);
            }
            int consumed = header + (int) inflater.getBytesRead();
            if (format == Format.GZIP) {
                CRC32 crc = new CRC32();
                crc.update(output, 0, produced);
                Gzip.checkTrailer(input, consumed, (int) crc.getValue(), produced);
                consumed += Gzip.TRAILER;
            }
            target.put(output, 0, produced);
            Bytes.advance(source, consumed);
            return produced;
        } finally {
            inflater.end();
        }
    }
}
