package org.pelton;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.zip.CRC32;

/**
 * Output stream that writes gzip in blocks: each block is a gzip member whose header says how long
 * it is.
 *
 * <p>{@link PeltonInputStream} decompresses such blocks side by side and can be given any run of
 * them; for every other reader of gzip the output is one file. Several outputs may follow one
 * another in a file. Nothing outside the heap belongs to a stream, so that one that is never closed
 * loses its last block but no memory.
 */
public final class PeltonOutputStream extends OutputStream {
    /** Default bytes of a block before compression. */
    public static final int DEFAULT_BLOCK_SIZE = 256 << 10;

    /** Bytes of a block's header. */
    public static final int HEADER = Gzip.BLOCK_HEADER;

    /** Bytes of the first buffer: streams are often short. */
    private static final int FIRST_BUFFER = 8 << 10;

    private final OutputStream out;
    private final Deflate deflate;
    private final int blockSize;
    private final boolean syncFlush;
    private final CRC32 crc = new CRC32();
    private byte[] buffer = new byte[0];
    private int buffered;
    private byte[] compressed = new byte[0];
    private boolean hasBlock;
    private boolean finished;
    private boolean closed;

    /** A stream at level 6, in blocks of {@link #DEFAULT_BLOCK_SIZE}. */
    public PeltonOutputStream(OutputStream out) {
        this(out, 6, DEFAULT_BLOCK_SIZE);
    }

    /** As the constructor below; {@link #flush} does not end a block. */
    public PeltonOutputStream(OutputStream out, int level, int blockSize) {
        this(out, level, blockSize, false);
    }

    /**
     * A stream over another one.
     *
     * @param level as for {@link Deflate}
     * @param blockSize bytes of a block before compression, 1 KB to {@link
     *     PeltonInputStream#MAX_BLOCK}
     * @param syncFlush whether {@link #flush} ends the block, so that a reader gets all that was
     *     written before
     * @throws IllegalArgumentException for another level or block size
     */
    public PeltonOutputStream(OutputStream out, int level, int blockSize, boolean syncFlush) {
        if (blockSize < 1 << 10 || blockSize > PeltonInputStream.MAX_BLOCK) {
            throw new IllegalArgumentException(
                    "a block size of " + blockSize + " is not one of 1024 to " + PeltonInputStream.MAX_BLOCK);
        }
        this.out = java.util.Objects.requireNonNull(out, "out");
        this.deflate = new Deflate(Format.RAW, level);
        this.blockSize = blockSize;
        this.syncFlush = syncFlush;
    }

    /**
     * Returns whether a block begins at this place.
     *
     * @param bytes {@link #HEADER} bytes from {@code at}, and perhaps more
     */
    public static boolean isBlock(byte[] bytes, int at) {
        return Gzip.blockLength(bytes, at, bytes.length - at) > 0;
    }

    @Override
    public void write(int b) throws IOException {
        checkOpen();
        makeRoom(1);
        buffer[buffered++] = (byte) b;
        if (buffered == blockSize) {
            endBlock();
        }
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
        checkOpen();
        Bytes.check(source, offset, length);
        while (length > 0) {
            if (buffered == 0 && length >= blockSize) {
                // A whole block needs no copy.
                writeBlock(source, offset, blockSize);
                offset += blockSize;
                length -= blockSize;
                continue;
            }
            int piece = Math.min(length, blockSize - buffered);
            makeRoom(piece);
            System.arraycopy(source, offset, buffer, buffered, piece);
            buffered += piece;
            offset += piece;
            length -= piece;
            if (buffered == blockSize) {
                endBlock();
            }
        }
    }

    /** Flushes the stream below, after the block so far if the constructor was told so. */
    @Override
    public void flush() throws IOException {
        checkOpen();
        if (syncFlush) {
            endBlock();
        }
        out.flush();
    }

    /** Ends the block so far, if it has a byte. */
    public void endBlock() throws IOException {
        checkOpen();
        if (buffered > 0) {
            int length = buffered;
            // Written or failed: the same bytes are not tried twice.
            buffered = 0;
            writeBlock(buffer, 0, length);
        }
    }

    /**
     * Writes the last block, and leaves the stream below open. A stream without a byte is an empty
     * block.
     */
    public void finish() throws IOException {
        if (finished) {
            return;
        }
        endBlock();
        if (!hasBlock) {
            writeBlock(buffer, 0, 0);
        }
        finished = true;
        buffer = null;
        compressed = null;
    }

    @Override
    public void close() throws IOException {
        if (closed) {
            return;
        }
        closed = true;
        try {
            finish();
        } catch (IOException | RuntimeException | Error error) {
            finished = true;
            try {
                out.close();
            } catch (IOException second) {
                error.addSuppressed(second);
            }
            throw error;
        }
        out.close();
    }

    private void checkOpen() throws IOException {
        if (finished) {
            throw new IOException("the stream is closed");
        }
    }

    private void makeRoom(int more) {
        if (buffered + more > buffer.length) {
            int doubled = Math.max(2 * buffer.length, FIRST_BUFFER);
            buffer = Arrays.copyOf(buffer, Math.min(blockSize, Math.max(doubled, buffered + more)));
        }
    }

    private void writeBlock(byte[] source, int offset, int length) throws IOException {
        // After a block that was not written, others would be read as if nothing were missing.
        finished = true;
        int capacity = Gzip.BLOCK_HEADER + Deflate.maxCompressedLength(length) + Gzip.TRAILER;
        if (compressed.length < capacity) {
            compressed = new byte[capacity];
        }
        int header = Gzip.BLOCK_HEADER;
        int body = deflate.compress(source, offset, length, compressed, header, capacity - header - Gzip.TRAILER);
        crc.reset();
        crc.update(source, offset, length);
        int member = header + body + Gzip.TRAILER;
        Gzip.writeBlockHeader(compressed, 0, member);
        Gzip.writeTrailer(compressed, header + body, (int) crc.getValue(), length);
        hasBlock = true;
        out.write(compressed, 0, member);
        finished = false;
    }
}
