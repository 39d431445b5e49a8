package org.pelton.bench;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.runner.IterationType;

/**
 * A pass over all blocks of a cell with one library, as a benchmark of JMH's. {@link Blocks} runs
 * it in its own JVM, and sets the cell.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Pass {
    /** Blocks of the next run. */
    static volatile Cell cell;
    /** Receives the figures of each measured iteration. */
    static volatile Listener listener;

    @Param("pelton")
    public String library;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private Cell.Work work;
    private long start;
    private long blocks;
    private long produced;

    /** Receiver of figures. */
    interface Listener {
        /**
         * Takes the nanoseconds of the thread's processor time, and the bytes produced, of a block
         * in a benchmark's method.
         */
        void measured(String method, double nanoseconds, double bytes);
    }

    /** Finds the library's buffers. */
    @Setup(Level.Trial)
    public void find() throws Exception {
        work = cell.work(library);
    }

    /** Reads the thread's clock. */
    @Setup(Level.Iteration)
    public void start() {
        blocks = produced = 0;
        start = threads.getCurrentThreadCpuTime();
    }

    /** Reads the thread's clock again. */
    @TearDown(Level.Iteration)
    public void stop(BenchmarkParams benchmark, IterationParams iteration) {
        double time = (double) (threads.getCurrentThreadCpuTime() - start) / blocks;
        if (iteration.getType() == IterationType.MEASUREMENT) {
            String name = benchmark.getBenchmark();
            listener.measured(name.substring(name.lastIndexOf('.') + 1), time, (double) produced / blocks);
        }
    }

    /** Compresses each block. */
    @Benchmark
    public void compress() throws Exception {
        blocks += cell.blocks.size();
        produced += work.compress();
    }

    /** Decompresses each block. */
    @Benchmark
    public void decompress() throws Exception {
        blocks += cell.blocks.size();
        produced += work.decompress();
    }

    /** Compresses batches of blocks. */
    @Benchmark
    public void compressBatches() {
        blocks += (long) Cell.BATCH * work.compressBatches();
    }

    /** Decompresses batches of blocks. */
    @Benchmark
    public void decompressBatches() throws Exception {
        blocks += (long) Cell.BATCH * work.decompressBatches();
    }
}
