package org.pelton;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;

/** Arguments of a call for many blocks. */
final class Batch {
    /** Numbers of a block in {@link #spans}: source, its length, target, its length. */
    private static final int SPAN = 4;

    final int count;
    final Object[] sources;
    final Object[] targets;
    /**
     * After the call the second number is the bytes used, and the fourth the bytes written or an
     * error.
     */
    final long[] spans;

    /** The buffers, which must stay while the library has their addresses. */
    private final ByteBuffer[] from;
    private final ByteBuffer[] to;

    Batch(ByteBuffer[] sourceBuffers, ByteBuffer[] targetBuffers) {
        from = sourceBuffers.clone();
        to = targetBuffers.clone();
        Set<ByteBuffer> all = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ByteBuffer[] buffers : new ByteBuffer[][] {from, to}) {
            for (ByteBuffer buffer : buffers) {
                if (!all.add(buffer)) {
                    throw new IllegalArgumentException("a buffer is given twice");
                }
            }
        }
        count = from.length;
        sources = new Object[count];
        targets = new Object[count];
        spans = new long[SPAN * count];
        for (int i = 0; i < count; i++) {
            Bytes source = Bytes.source(from[i]);
            Bytes target = Bytes.target(to[i]);
            sources[i] = source.array;
            targets[i] = target.array;
            spans[SPAN * i] = source.at;
            spans[SPAN * i + 1] = source.length;
            spans[SPAN * i + 2] = target.at;
            spans[SPAN * i + 3] = target.length;
        }
    }

    static void checkLengths(ByteBuffer[] sources, ByteBuffer[] targets) {
        if (sources.length != targets.length) {
            throw new IllegalArgumentException(sources.length + " sources and " + targets.length + " targets");
        }
    }

    int consumed(int block) {
        return (int) spans[SPAN * block + 1];
    }

    /** Returns the bytes written, or an error. */
    long produced(int block) {
        return spans[SPAN * block + 3];
    }

    int firstFailure() {
        int block = 0;
        while (produced(block) >= 0) {
            block++;
        }
        return block;
    }

    /** Moves the positions of all buffers. */
    void advance() {
        for (int i = 0; i < count; i++) {
            Bytes.advance(from[i], consumed(i));
            Bytes.advance(to[i], (int) produced(i));
        }
    }
}
