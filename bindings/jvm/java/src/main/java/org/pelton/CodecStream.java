package org.pelton;

import java.util.zip.DataFormatException;

/**
 * Stream of DEFLATE whose data comes in pieces, for hosts with interfaces of that kind.
 *
 * <p>Closing twice does nothing. A call on a closed stream, or by two threads at once, is an error.
 * Without the library a stream is one of {@code java.util.zip}.
 */
public abstract class CodecStream {
    /** Keep data for the next piece. */
    public static final int NO_FLUSH = 0;
    /** Write all data so far, to a whole byte. */
    public static final int SYNC_FLUSH = 2;
    /** End the stream after this piece. */
    public static final int FINISH = 4;

    CodecStream() {}

    /**
     * Opens a compressing stream.
     *
     * @param owner the object that closes it; the stream is closed some time after that became
     *     garbage
     * @param level as for {@link Deflate}
     */
    public static CodecStream compressor(Object owner, Format format, int level) {
        Deflate.checkLevel(level);
        return Pelton.check()
                ? new NativeStream(owner, Native.compressor(format.number(), level))
                : new JdkStream.Compressor(format, level);
    }

    /** Opens a decompressing stream. */
    public static CodecStream decompressor(Object owner, Format format) {
        return Pelton.check()
                ? new NativeStream(owner, Native.decompressor(format.number()))
                : new JdkStream.Decompressor(format);
    }

    /**
     * Compresses or decompresses a piece, as far as source and target suffice.
     *
     * @param flush {@link #NO_FLUSH}, {@link #SYNC_FLUSH} or {@link #FINISH}
     * @return the progress: see {@link #consumed}, {@link #produced}, {@link #hasEnded}
     * @throws DataFormatException if the source is corrupt
     * @throws IllegalStateException if the stream is closed, or another thread uses it
     */
    public final long run(
            byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength, int flush)
            throws DataFormatException {
        Bytes.check(source, offset, length);
        Bytes.check(target, targetOffset, targetLength);
        return runPiece(source, offset, length, target, targetOffset, targetLength, flush);
    }

    abstract long runPiece(
            byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength, int flush)
            throws DataFormatException;

    /** Begins another stream with the same parameters. */
    public abstract void reset();

    /** Closes the stream. A call that runs in another thread ends first. */
    public abstract void close();

    /** Returns the bytes of the source that were used. */
    public static int consumed(long result) {
        return Native.consumed(result);
    }

    /** Returns the bytes that were written to the target. */
    public static int produced(long result) {
        return Native.produced(result);
    }

    /** Returns whether the stream has come to its end. */
    public static boolean hasEnded(long result) {
        return (result & Native.ENDED) != 0;
    }

    /** Returns a progress as one number. */
    static long progress(int consumed, int produced, boolean hasEnded) {
        return consumed | (long) produced << 31 | (hasEnded ? Native.ENDED : 0);
    }
}
