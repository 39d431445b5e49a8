package org.pelton.hadoop;

import java.io.IOException;
import java.util.zip.DataFormatException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.Compressor;
import org.pelton.Format;
import org.pelton.CodecStream;

/**
 * Compressor of Hadoop on a stream of the library.
 *
 * <p>Hadoop keeps compressors in a pool for ever, so one that is reset has no stream: it opens one
 * when it first needs it. The format is part of the class, as the pool has a list for each class.
 */
abstract class StreamCompressor implements Compressor {
    private static final byte[] NONE = {};

    private final Format format;
    private int level;
    private CodecStream stream;
    private byte[] input = NONE;
    private int at;
    private int length;
    private long read;
    private long written;
    private boolean isFinishing;
    private boolean isFinished;
    private boolean hasEnded;

    private StreamCompressor(Format format, Configuration conf) {
        this.format = format;
        this.level = DeflateCodec.level(conf);
    }

    /** Compressor for zlib's format. */
    static final class Zlib extends StreamCompressor {
        Zlib(Configuration conf) {
            super(Format.ZLIB, conf);
        }
    }

    /** Compressor for gzip. */
    static final class Gzip extends StreamCompressor {
        Gzip(Configuration conf) {
            super(Format.GZIP, conf);
        }
    }

    /** Returns a compressor. */
    static Compressor create(Format format, Configuration conf) {
        return format == Format.GZIP ? new Gzip(conf) : new Zlib(conf);
    }

    /** Returns the class of {@link #create}. */
    static Class<? extends Compressor> type(Format format) {
        return format == Format.GZIP ? Gzip.class : Zlib.class;
    }

    @Override
    public synchronized void setInput(byte[] source, int offset, int count) {
        StreamDecompressor.check(source, offset, count);
        input = source;
        at = offset;
        length = count;
    }

    @Override
    public synchronized boolean needsInput() {
        return length == 0;
    }

    @Override
    public synchronized void setDictionary(byte[] dictionary, int offset, int count) {
        throw new UnsupportedOperationException("a preset dictionary is not supported");
    }

    @Override
    public synchronized long getBytesRead() {
        return read;
    }

    @Override
    public synchronized long getBytesWritten() {
        return written;
    }

    @Override
    public synchronized void finish() {
        isFinishing = true;
    }

    @Override
    public synchronized boolean finished() {
        return isFinished && length == 0;
    }

    @Override
    public synchronized int compress(byte[] target, int offset, int count) throws IOException {
        StreamDecompressor.check(target, offset, count);
        if (hasEnded) {
            throw new IOException("the compressor is closed");
        }
        if (isFinished || count == 0 || length == 0 && !isFinishing) {
            return 0;
        }
        if (stream == null) {
            stream = CodecStream.compressor(this, format, level);
        }
        long result;
        try {
            int flush = isFinishing ? CodecStream.FINISH : CodecStream.NO_FLUSH;
            result = stream.run(input, at, length, target, offset, count, flush);
        } catch (DataFormatException error) {
            throw new IOException(error.getMessage(), error);
        }
        at += CodecStream.consumed(result);
        length -= CodecStream.consumed(result);
        read += CodecStream.consumed(result);
        written += CodecStream.produced(result);
        isFinished = CodecStream.hasEnded(result);
        return CodecStream.produced(result);
    }

    @Override
    public synchronized void reset() {
        release();
        input = NONE;
        at = length = 0;
        read = written = 0;
        isFinishing = isFinished = false;
    }

    private void release() {
        if (stream != null) {
            stream.close();
            stream = null;
        }
    }

    @Override
    public synchronized void end() {
        release();
        input = NONE;
        at = length = 0;
        hasEnded = true;
    }

    @Override
    public synchronized void reinit(Configuration conf) {
        reset();
        if (conf != null) {
            level = DeflateCodec.level(conf);
        }
    }
}
