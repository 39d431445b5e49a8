package org.pelton;

import java.lang.ref.PhantomReference;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.DataFormatException;

/**
 * Stream of the library.
 *
 * <p>One whose owner became garbage is closed when another one is opened: no thread waits for that,
 * and no call pays for it.
 */
final class NativeStream extends CodecStream {
    private static final ReferenceQueue<Object> ABANDONED = new ReferenceQueue<>();
    private static final Set<Owner> OPEN = ConcurrentHashMap.newKeySet();

    private final Owner owner;

    /** The stream's number, which outlives the stream. */
    private static final class Owner extends PhantomReference<Object> {
        private final long handle;

        Owner(Object owner, long handle) {
            super(owner, ABANDONED);
            this.handle = handle;
        }

        void close() {
            if (OPEN.remove(this)) {
                Native.close(handle);
            }
        }
    }

    NativeStream(Object owner, long handle) {
        if (handle <= 0) {
            throw new OutOfMemoryError("pelton: there is no memory outside the heap for a stream");
        }
        this.owner = new Owner(owner, handle);
        OPEN.add(this.owner);
        for (Reference<?> abandoned; (abandoned = ABANDONED.poll()) != null; ) {
            ((Owner) abandoned).close();
        }
    }

    @Override
    long runPiece(byte[] source, int at, int length, byte[] target, int targetAt, int targetLength, int flush)
            throws DataFormatException {
        long result = Native.stream(owner.handle, source, at, length, target, targetAt, targetLength, flush);
        Inflate.checked(result, targetLength);
        return result;
    }

    @Override
    public void reset() {
        if (Native.reset(owner.handle) < 0) {
            throw new IllegalStateException("the stream is closed, or another thread uses it");
        }
    }

    @Override
    public void close() {
        owner.close();
    }
}
