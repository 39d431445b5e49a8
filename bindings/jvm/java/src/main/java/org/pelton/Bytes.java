package org.pelton;

import java.nio.ByteBuffer;

/** Bytes of a buffer as the library takes them: an array with an index, or null with an address. */
final class Bytes {
    final byte[] array;
    final long at;
    final int length;

    private Bytes(byte[] array, long at, int length) {
        this.array = array;
        this.at = at;
        this.length = length;
    }

    /**
     * Returns the remaining bytes of a source. Those of a heap buffer that is read-only are copied.
     */
    static Bytes source(ByteBuffer buffer) {
        if (!buffer.isDirect() && !buffer.hasArray()) {
            byte[] copy = new byte[buffer.remaining()];
            buffer.duplicate().get(copy);
            return new Bytes(copy, 0, copy.length);
        }
        return of(buffer);
    }

    /** Returns the remaining bytes of a target. */
    static Bytes target(ByteBuffer buffer) {
        if (buffer.isReadOnly()) {
            throw new java.nio.ReadOnlyBufferException();
        }
        return of(buffer);
    }

    private static Bytes of(ByteBuffer buffer) {
        // Each is read once: another thread may move them, but both stay within the capacity.
        int position = buffer.position();
        int length = Math.max(0, buffer.limit() - position);
        if (!buffer.isDirect()) {
            return new Bytes(buffer.array(), buffer.arrayOffset() + position, length);
        }
        if (length > 0) {
            // Throws where the buffer's memory was freed, or belongs to another thread (Java 22).
            buffer.get(position);
        }
        return new Bytes(null, Native.address(buffer) + position, length);
    }

    /** Checks a range of an array. */
    static void check(byte[] array, int offset, int length) {
        if ((offset | length) < 0 || offset > array.length - length) {
            throw new IndexOutOfBoundsException(
                    "offset " + offset + " and length " + length + " do not fit into " + array.length + " bytes");
        }
    }

    /** Moves the position of a buffer, which is a method of another class before Java 9. */
    static void advance(ByteBuffer buffer, int bytes) {
        ((java.nio.Buffer) buffer).position(buffer.position() + bytes);
    }
}
