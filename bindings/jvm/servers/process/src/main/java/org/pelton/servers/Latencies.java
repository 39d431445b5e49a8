package org.pelton.servers;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;

/** Durations of operations, of which those beyond the capacity are not kept. */
public final class Latencies {
    private final long[] nanos;
    private final AtomicInteger count = new AtomicInteger();

    /** No durations yet. */
    public Latencies(int capacity) {
        nanos = new long[capacity];
    }

    /** Adds a duration; any thread may. */
    public void add(long duration) {
        int at = count.getAndIncrement();
        if (at < nanos.length) {
            nanos[at] = duration;
        }
    }

    /** Returns the number of operations. */
    public int count() {
        return count.get();
    }

    /**
     * Returns the duration, in milliseconds, that a share of the operations does not exceed. No
     * thread may add any more.
     *
     * @throws IllegalStateException if there are none, or more than the capacity
     */
    public double percentile(double share) {
        if (count.get() == 0 || count.get() > nanos.length) {
            throw new IllegalStateException(count + " durations, with a capacity of " + nanos.length);
        }
        long[] sorted = Arrays.copyOf(nanos, count.get());
        Arrays.sort(sorted);
        return sorted[(int) Math.ceil(share * sorted.length) - 1] / 1e6;
    }
}
