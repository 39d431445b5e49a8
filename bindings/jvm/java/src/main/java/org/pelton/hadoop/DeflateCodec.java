package org.pelton.hadoop;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.CompressorStream;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DecompressorStream;
import org.apache.hadoop.io.compress.DirectDecompressionCodec;
import org.apache.hadoop.io.compress.DirectDecompressor;
import org.pelton.Format;

/**
 * Codec of Hadoop for {@code .deflate}: zlib's format, as its {@code DeflateCodec} and {@code
 * DefaultCodec} have it.
 *
 * <pre>{@code
 * io.compression.codecs=org.pelton.hadoop.GzipCodec,org.pelton.hadoop.DeflateCodec
 * }</pre>
 */
public class DeflateCodec implements Configurable, DirectDecompressionCodec {
    /**
     * Hadoop's name of the level: NO_COMPRESSION, BEST_SPEED, TWO to EIGHT, BEST_COMPRESSION,
     * DEFAULT_COMPRESSION.
     */
    static final String LEVEL = "zlib.compress.level";

    /** Values of {@link #LEVEL}, from -1 on. */
    private static final String[] LEVELS = {
        "DEFAULT_COMPRESSION", "NO_COMPRESSION", "BEST_SPEED", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT",
        "BEST_COMPRESSION",
    };

    private Configuration conf = new Configuration(false);

    @Override
    public void setConf(Configuration conf) {
        this.conf = conf;
    }

    @Override
    public Configuration getConf() {
        return conf;
    }

    /** Returns the container of this codec's streams. */
    Format format() {
        return Format.ZLIB;
    }

    /** Returns Hadoop's name of a level, -1, the default, to 9. */
    public static String levelName(int level) {
        return LEVELS[level + 1];
    }

    /**
     * Returns the level of a configuration: -1, the default, to 9. An unknown text is the default,
     * as for Hadoop.
     */
    static int level(Configuration conf) {
        String level = conf == null ? null : conf.get(LEVEL);
        for (int i = 0; i < LEVELS.length; i++) {
            if (LEVELS[i].equals(level)) {
                return i - 1;
            }
        }
        return -1;
    }

    int bufferSize() {
        return Math.max(4096, conf.getInt("io.file.buffer.size", 64 << 10));
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out) throws IOException {
        return createOutputStream(out, createCompressor());
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out, Compressor compressor) throws IOException {
        return new CompressorStream(out, compressor, bufferSize());
    }

    @Override
    public Class<? extends Compressor> getCompressorType() {
        return StreamCompressor.type(format());
    }

    @Override
    public Compressor createCompressor() {
        return StreamCompressor.create(format(), conf);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in) throws IOException {
        return createInputStream(in, createDecompressor());
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in, Decompressor decompressor) throws IOException {
        return new DecompressorStream(in, decompressor, bufferSize());
    }

    @Override
    public Class<? extends Decompressor> getDecompressorType() {
        return StreamDecompressor.type(format());
    }

    @Override
    public Decompressor createDecompressor() {
        return StreamDecompressor.create(format());
    }

    @Override
    public DirectDecompressor createDirectDecompressor() {
        return new StreamDecompressor.Direct(format());
    }

    @Override
    public String getDefaultExtension() {
        return ".deflate";
    }
}
