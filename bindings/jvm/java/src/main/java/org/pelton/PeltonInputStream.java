package org.pelton;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.zip.DataFormatException;
import java.util.zip.ZipException;

/**
 * Input stream that reads gzip of any kind, and decompresses the blocks of {@link
 * PeltonOutputStream} side by side.
 *
 * <p>Members may follow one another, the checksum of each is checked, and an input without a byte
 * is an empty one. A member that ends too early is an {@link EOFException}; bytes after a member
 * that begin no other one are a {@link ZipException}. Bytes are read ahead, so the stream below is
 * at no particular place afterwards.
 */
public final class PeltonInputStream extends InputStream {
    /** Largest block, in bytes before compression, that is decompressed as one. */
    public static final int MAX_BLOCK = 16 << 20;

    /** Bytes of input that are read at a time. */
    private static final int READ = 256 << 10;
    /** Min bytes of the first buffer: streams are often short. */
    private static final int FIRST_READ = 8 << 10;
    /** Bytes of output of a batch of blocks, unless one block has more. */
    private static final int BATCH = 1 << 20;
    private static final int MAX_BLOCKS = 64;
    /** Bytes of output of a piece of a member without the field of our blocks. */
    private static final int PIECE = 64 << 10;
    /** Upper bound of DEFLATE's ratio. A block that claims more is corrupt. */
    private static final int MAX_RATIO = 1032;

    private final InputStream in;

    private byte[] input = new byte[0];
    private int inputAt;
    private int inputEnd;
    private boolean inputEnded;
    /** Offset in the stream of {@code input[0]}, for errors. */
    private long inputOffset;

    private byte[] output = new byte[0];
    private int outputAt;
    private int outputEnd;

    /** Stream for the member that is being read, if it is no block. */
    private CodecStream member;
    /** Error to throw when the bytes before it have been read. */
    private IOException failure;
    private boolean closed;

    private final Object[] sources = new Object[MAX_BLOCKS];
    private final Object[] targets = new Object[MAX_BLOCKS];
    private final long[] spans = new long[4 * MAX_BLOCKS];
    /** Ends in {@link #output} and offsets in the input of the decompressed blocks. */
    private final int[] blockEnds = new int[MAX_BLOCKS];
    private final long[] blockOffsets = new long[MAX_BLOCKS];
    private int blocks;
    private int block;
    private long offset = -1;
    private long watchFrom = Long.MAX_VALUE;
    private long watched = -1;

    /** A stream over another one, which is first read when this one is. */
    public PeltonInputStream(InputStream in) {
        this.in = java.util.Objects.requireNonNull(in, "in");
        Pelton.check();
    }

    @Override
    public int read() throws IOException {
        if (outputAt < outputEnd) {
            blockEnd();
            return output[outputAt++] & 255;
        }
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
    }

    @Override
    public int read(byte[] target, int at, int length) throws IOException {
        if (closed) {
            throw new IOException("the stream is closed");
        }
        Bytes.check(target, at, length);
        if (length == 0) {
            return 0;
        }
        while (outputAt == outputEnd) {
            if (failure != null) {
                throw failure;
            }
            try {
                if (!decompress()) {
                    return -1;
                }
            } catch (ZipException | EOFException error) {
                // Those of the stream below may pass, and a later call goes on.
                failure = error;
                release();
            }
        }
        int piece = Math.min(length, blockEnd() - outputAt);
        System.arraycopy(output, outputAt, target, at, piece);
        outputAt += piece;
        return piece;
    }

    /**
     * Returns the offset in the input of the last block of {@link PeltonOutputStream} that a byte
     * was read of; -1 if none was. Bytes of other members count as those of the block before. One
     * call of {@code read} does not go beyond a block.
     */
    public long blockOffset() {
        return offset;
    }

    /**
     * Sets an offset in the input: {@link #watchedBlock} is the first block from there on.
     *
     * @param offset one that was not reached yet
     */
    public void watchBlocks(long offset) {
        watchFrom = offset;
    }

    /**
     * Returns the offset of the watched block, even an empty one, once a byte behind it was read;
     * -1 before.
     */
    public long watchedBlock() {
        return watched;
    }

    /** Returns the end of the block that the next byte belongs to. */
    private int blockEnd() {
        while (block < blocks && blockEnds[block] <= outputAt) {
            block++;
        }
        if (block == blocks) {
            return outputEnd;
        }
        offset = blockOffsets[block];
        return blockEnds[block];
    }

    /**
     * Returns the decompressed bytes that wait; 1 if there are none and the stream below has some.
     */
    @Override
    public int available() throws IOException {
        if (closed) {
            throw new IOException("the stream is closed");
        }
        int waiting = outputEnd - outputAt;
        return waiting > 0 ? waiting : inputEnd > inputAt || in.available() > 0 ? 1 : 0;
    }

    @Override
    public void close() throws IOException {
        if (!closed) {
            closed = true;
            release();
            input = output = new byte[0];
            inputAt = inputEnd = outputAt = outputEnd = 0;
            in.close();
        }
    }

    private void release() {
        if (member != null) {
            member.close();
            member = null;
        }
    }

    /**
     * Decompresses some bytes to {@link #output}, perhaps none. Returns false at the end of the
     * input.
     */
    private boolean decompress() throws IOException {
        outputAt = outputEnd = 0;
        blocks = block = 0;
        if (member != null) {
            decompressPiece();
            return true;
        }
        if (!fill(1)) {
            return false;
        }
        if (fill(2) && !Gzip.isMagic(input, inputAt)) {
            throw new ZipException(place() + " is no gzip member; if the data before it is complete, cut the rest off");
        }
        fill(Gzip.BLOCK_HEADER);
        int length = blockLength(inputAt, inputEnd - inputAt);
        if (length > 0 && !fill(length)) {
            throw new EOFException("the input ends in the gzip member at byte " + (inputOffset + inputAt));
        }
        if (length > 0 && isBlock(inputAt, length)) {
            decompressBlocks();
        } else {
            member = CodecStream.decompressor(this, Format.GZIP);
        }
        return true;
    }

    /**
     * Returns the length of the member with our field at {@code at}, or 0. Larger ones than ours
     * are as others.
     */
    private int blockLength(int at, int length) {
        int member = Gzip.blockLength(input, at, length);
        return member <= MAX_BLOCK + (MAX_BLOCK >>> 10) + 64 + Gzip.MIN_BLOCK ? member : 0;
    }

    /** Returns whether the claimed size of a block that is there can be right. */
    private boolean isBlock(int at, int length) {
        long claimed = Integer.toUnsignedLong(Gzip.readInt(input, at + length - 4));
        return claimed <= MAX_BLOCK && claimed <= (long) MAX_RATIO * length;
    }

    /** Decompresses the block at the start of the input, and those behind it that are there. */
    private void decompressBlocks() throws IOException {
        int count = 0;
        int at = inputAt;
        int total = 0;
        while (count < MAX_BLOCKS) {
            int length = blockLength(at, inputEnd - at);
            if (length == 0 || length > inputEnd - at || !isBlock(at, length)) {
                break;
            }
            int size = Gzip.readInt(input, at + length - 4);
            if (count > 0 && total + size > BATCH) {
                break;
            }
            spans[4 * count] = at;
            spans[4 * count + 1] = length;
            spans[4 * count + 2] = total;
            spans[4 * count + 3] = size;
            at += length;
            total += size;
            count++;
        }
        if (output.length < total) {
            output = new byte[total];
        }
        Arrays.fill(sources, 0, count, input);
        Arrays.fill(targets, 0, count, output);
        long[] claimed = Arrays.copyOf(spans, 4 * count);
        long failed = Native.isAvailable()
                ? Native.decompressAll(Format.GZIP.number(), count, sources, targets, spans)
                : decompressWithJdk(count);
        for (int i = 0; i < count; i++) {
            int length = (int) claimed[4 * i + 1];
            int size = (int) claimed[4 * i + 3];
            if (failed < 0 || spans[4 * i + 1] != length || spans[4 * i + 3] != size) {
                throwAfterBlocks(new ZipException(place() + ": " + reason(failed < 0 ? failed : spans[4 * i + 3])));
                return;
            }
            blockOffsets[i] = inputOffset + inputAt;
            if (watched < 0 && blockOffsets[i] >= watchFrom) {
                watched = blockOffsets[i];
            }
            inputAt += length;
            outputEnd += size;
            blockEnds[i] = outputEnd;
            blocks = i + 1;
        }
    }

    /** As {@link Native#decompressAll}. */
    private long decompressWithJdk(int count) {
        long failed = 0;
        for (int i = 0; i < 4 * count; i += 4) {
            try {
                spans[i + 3] = new Inflate(Format.GZIP).decompress(
                        input, (int) spans[i], (int) spans[i + 1], output, (int) spans[i + 2], (int) spans[i + 3]);
            } catch (DataFormatException error) {
                spans[i + 3] = Native.CORRUPT;
                failed++;
            }
        }
        return failed;
    }

    private static String reason(long result) {
        try {
            Inflate.checked(result, 0);
            return "the member's length does not match its header";
        } catch (DataFormatException error) {
            return result == Native.TOO_SMALL ? "the block is longer than its trailer says" : error.getMessage();
        }
    }

    /**
     * Throws an error, or, if there are decompressed bytes before it, keeps it for the next call.
     */
    private void throwAfterBlocks(IOException error) throws IOException {
        if (outputEnd == 0) {
            throw error;
        }
        failure = error;
    }

    /** Decompresses a piece of a member. */
    private void decompressPiece() throws IOException {
        if (output.length < PIECE) {
            output = new byte[PIECE];
        }
        if (inputAt == inputEnd && !fill(1)) {
            throw new EOFException("the input ends in a gzip member, at byte " + (inputOffset + inputEnd));
        }
        long result;
        try {
            result = member.run(input, inputAt, inputEnd - inputAt, output, 0, output.length, CodecStream.NO_FLUSH);
        } catch (DataFormatException error) {
            throw new ZipException("the gzip member that goes on at byte " + (inputOffset + inputAt) + ": " + error.getMessage());
        }
        inputAt += CodecStream.consumed(result);
        outputEnd = CodecStream.produced(result);
        if (CodecStream.hasEnded(result)) {
            release();
        } else if (CodecStream.consumed(result) == 0 && outputEnd == 0 && !fill(inputEnd - inputAt + 1)) {
            throw new EOFException("the input ends in a gzip member, at byte " + (inputOffset + inputEnd));
        }
    }

    private String place() {
        return "byte " + (inputOffset + inputAt) + " of the input";
    }

    /** Reads until {@code wanted} bytes are there. Returns false if the input ends before. */
    private boolean fill(int wanted) throws IOException {
        while (inputEnd - inputAt < wanted && !inputEnded) {
            if (input.length - inputAt < wanted || inputAt == inputEnd) {
                int rest = inputEnd - inputAt;
                // As the claimed length of a block may be wrong, the buffer grows with the bytes
                // that come.
                int first = input.length > 0 ? input.length : Math.max(FIRST_READ, Math.min(READ, in.available()));
                int read = inputEnd > 0 && inputEnd == input.length ? READ : first;
                int size = Math.max(read, Math.min(wanted, 2 * rest));
                byte[] to = input.length < size ? new byte[size] : input;
                System.arraycopy(input, inputAt, to, 0, rest);
                inputOffset += inputAt;
                input = to;
                inputAt = 0;
                inputEnd = rest;
            }
            int n = in.read(input, inputEnd, input.length - inputEnd);
            if (n == 0) {
                // A stream that has nothing now must wait in a read of one byte.
                int one = in.read();
                if (one >= 0) {
                    input[inputEnd] = (byte) one;
                }
                n = one < 0 ? -1 : 1;
            }
            if (n < 0) {
                inputEnded = true;
            } else {
                inputEnd += n;
            }
        }
        return inputEnd - inputAt >= wanted;
    }
}
