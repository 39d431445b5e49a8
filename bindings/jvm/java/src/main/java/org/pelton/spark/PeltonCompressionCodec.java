package org.pelton.spark;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.SparkConf;
import org.apache.spark.io.ZStdCompressionCodec;
import org.pelton.PeltonInputStream;
import org.pelton.PeltonOutputStream;

/**
 * Compression codec for Spark's shuffle, spills, broadcasts and cached blocks.
 *
 * <pre>{@code
 * spark.io.compression.codec=org.pelton.spark.PeltonCompressionCodec
 * }</pre>
 *
 * <p>{@code spark.io.compression.pelton.level} (1) and {@code
 * spark.io.compression.pelton.blockSize} (128k) change it. Spark merges spilled files and fetches
 * several blocks at once only for codecs of four classes, by {@code instanceof}. So this class
 * extends one of them, whose outputs may follow one another as ours may, and has nothing else of
 * it.
 */
public final class PeltonCompressionCodec extends ZStdCompressionCodec {
    private static final String LEVEL = "spark.io.compression.pelton.level";
    private static final String BLOCK_SIZE = "spark.io.compression.pelton.blockSize";

    private static final AtomicLong STREAMS = new AtomicLong();

    private final int level;
    private final int blockSize;

    /** A codec with the settings of a configuration, for Spark. */
    public PeltonCompressionCodec(SparkConf conf) {
        super(conf);
        level = (int) setting(LEVEL, conf.getInt(LEVEL, 1), -1, 9);
        blockSize = (int) setting(BLOCK_SIZE, conf.getSizeAsBytes(BLOCK_SIZE, "128k"), 1024,
                PeltonInputStream.MAX_BLOCK);
    }

    private static long setting(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + " is " + value + ", not one of " + min + " to " + max);
        }
        return value;
    }

    /** Returns how many streams were opened in this virtual machine. */
    public static long streams() {
        return STREAMS.get();
    }

    @Override
    public OutputStream compressedOutputStream(OutputStream out) {
        STREAMS.incrementAndGet();
        return new PeltonOutputStream(out, level, blockSize);
    }

    @Override
    public InputStream compressedInputStream(InputStream in) {
        STREAMS.incrementAndGet();
        return new PeltonInputStream(in);
    }

    /** As the method above; a flush ends the block, as readers wait for the data. */
    @Override
    public BufferedOutputStream compressedContinuousOutputStream(OutputStream out) {
        STREAMS.incrementAndGet();
        return new BufferedOutputStream(new PeltonOutputStream(out, level, blockSize, true), blockSize);
    }

    @Override
    public InputStream compressedContinuousInputStream(InputStream in) {
        STREAMS.incrementAndGet();
        return new BufferedInputStream(new PeltonInputStream(in));
    }
}
