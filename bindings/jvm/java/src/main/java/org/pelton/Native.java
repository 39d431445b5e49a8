package org.pelton;

import java.nio.ByteBuffer;

/**
 * Native methods of the library, which binds them when it is loaded. Bytes are an array with an
 * index, or null with an address. A result below zero is an error.
 */
final class Native {
    /** Number of the interface between these classes and the library. */
    static final int ABI = 2;

    static final int TOO_SMALL = -1;
    static final int CORRUPT = -2;
    static final int INCOMPLETE = -3;
    static final int CLOSED = -4;
    static final int BUSY = -5;
    static final int OUT_OF_MEMORY = -6;
    static final int DICTIONARY = -7;
    static final int ARGUMENT = -8;

    /** Bit of the result of {@link #stream}: the stream has ended. */
    static final long ENDED = 1L << 62;

    /** Reason why the library is not there; null if it is. */
    static final String LOAD_ERROR = Loader.load(Native.class);

    private Native() {}

    static boolean isAvailable() {
        return LOAD_ERROR == null;
    }

    /** Throws if the library is not there, for what the JDK has no class for. */
    static void checkAvailable() {
        if (LOAD_ERROR != null) {
            throw new IllegalStateException("Pelton's library is not loaded: " + LOAD_ERROR);
        }
    }

    /** Returns the bytes of the source that a result says were used. */
    static int consumed(long result) {
        return (int) (result & Integer.MAX_VALUE);
    }

    /** Returns the bytes of the target that a result says were written. */
    static int produced(long result) {
        return (int) (result >>> 31 & Integer.MAX_VALUE);
    }

    static native long compressor(int format, int level);

    static native long decompressor(int format);

    static native void close(long handle);

    static native long reset(long handle);

    static native long compressBlock(
            int format, int level, byte[] source, long sourceAt, int sourceLength, byte[] target, long targetAt, int targetLength);

    static native long decompressBlock(
            int format, byte[] source, long sourceAt, int sourceLength, byte[] target, long targetAt, int targetLength);

    static native long compressLz4(
            byte[] source, long sourceAt, int sourceLength, byte[] target, long targetAt, int targetLength);

    static native long decompressLz4(
            byte[] source, long sourceAt, int sourceLength, byte[] target, long targetAt, int targetLength);

    static native long decompressSnappy(
            byte[] source, long sourceAt, int sourceLength, byte[] target, long targetAt, int targetLength);

    static native long compressAll(int format, int level, int count, Object[] sources, Object[] targets, long[] spans);

    static native long decompressAll(int format, int count, Object[] sources, Object[] targets, long[] spans);

    static native long stream(
            long handle, byte[] source, long sourceAt, int sourceLength, byte[] target, long targetAt, int targetLength, int flush);

    static native long setDictionary(long handle, byte[] dictionary, int at, int length);

    static native long address(ByteBuffer direct);

    static native void configure(String[] pairs);

    static native String statistics();

    /**
     * Takes java.util.zip over by way of a class for the boot class loader. Returns null, or why
     * that failed.
     */
    static native String takeOver(byte[] takeover);

    /** Returns counters of what java.util.zip was served. */
    static native String zipStatistics();
}
