package org.pelton;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.DataFormatException;

/**
 * Stream of the library for data that comes in pieces.
 *
 * <p>Closing twice does nothing, and a call on a closed stream, or by two threads at once, returns an error. A stream
 * whose owner became garbage is closed when another one is opened: no thread waits for that, and no call pays for it.
 */
public final class StreamHandle extends PhantomReference<Object> {
    /** Keep data for the next piece. */
    public static final int NO_FLUSH = 0;
    /** Write all data so far, to a whole byte. */
    public static final int SYNC_FLUSH = 2;
    /** End the stream after this piece. */
    public static final int FINISH = 4;

    private static final ReferenceQueue<Object> ABANDONED = new ReferenceQueue<>();
    private static final Set<StreamHandle> OPEN = ConcurrentHashMap.newKeySet();

    private final long handle;

    private StreamHandle(Object owner, long handle) {
        super(owner, ABANDONED);
        if (handle <= 0) {
            throw new OutOfMemoryError("pelton: there is no memory outside the heap for a stream");
        }
        this.handle = handle;
        OPEN.add(this);
    }

    /** Opens a compressing stream, at level -1 to 9. The library is loaded ({@link Pelton#isAvailable}). */
    public static StreamHandle compressor(Object owner, Format format, int level) {
        closeAbandoned();
        return new StreamHandle(owner, Native.compressor(format.number(), level));
    }

    /** Opens a decompressing stream. The library is loaded. */
    public static StreamHandle decompressor(Object owner, Format format) {
        closeAbandoned();
        return new StreamHandle(owner, Native.decompressor(format.number()));
    }

    private static void closeAbandoned() {
        for (Reference<?> abandoned; (abandoned = ABANDONED.poll()) != null; ) {
            ((StreamHandle) abandoned).close();
        }
    }

    /**
     * Compresses or decompresses a piece, as far as source and target suffice.
     *
     * @param flush {@link #NO_FLUSH}, {@link #SYNC_FLUSH} or {@link #FINISH}
     * @return the progress: see {@link #consumed}, {@link #produced}, {@link #hasEnded}
     * @throws DataFormatException if the source is corrupt
     * @throws IllegalStateException if the stream is closed, or another thread uses it
     */
    public long run(byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength, int flush)
            throws DataFormatException {
        Bytes.check(source, offset, length);
        Bytes.check(target, targetOffset, targetLength);
        long result = Native.stream(handle, source, offset, length, target, targetOffset, targetLength, flush);
        Inflate.checked(result, targetLength);
        return result;
    }

    /** As the method above, between buffers; moves both positions. */
    public long run(ByteBuffer source, ByteBuffer target, int flush) throws DataFormatException {
        Bytes from = Bytes.source(source);
        Bytes to = Bytes.target(target);
        long result = Native.stream(handle, from.array, from.at, from.length, to.array, to.at, to.length, flush);
        Inflate.checked(result, to.length);
        Bytes.advance(source, consumed(result));
        Bytes.advance(target, produced(result));
        return result;
    }

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

    /** Begins another stream with the same parameters. */
    public void reset() {
        if (Native.reset(handle) < 0) {
            throw new IllegalStateException("the stream is closed, or another thread uses it");
        }
    }

    /** Closes the stream. A call that runs in another thread ends first. */
    public void close() {
        if (OPEN.remove(this)) {
            Native.close(handle);
        }
    }
}
