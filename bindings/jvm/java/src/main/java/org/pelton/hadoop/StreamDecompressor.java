package org.pelton.hadoop;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.DataFormatException;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DirectDecompressor;
import org.pelton.Format;
import org.pelton.Inflate;
import org.pelton.CodecStream;

/**
 * Decompressor of Hadoop on a stream of the library.
 *
 * <p>It stops behind each stream, as Hadoop's do: {@code DecompressorStream} resets it, and goes on
 * with the bytes that remain, if there are any. One that is reset has no stream of the library, as
 * Hadoop keeps it in a pool for ever.
 */
abstract class StreamDecompressor implements Decompressor {
    private static final byte[] NONE = {};

    private final Format format;
    private CodecStream stream;
    private byte[] input = NONE;
    private int at;
    private int length;
    private boolean isFinished;
    private boolean hasEnded;

    private StreamDecompressor(Format format) {
        this.format = format;
    }

    /** Decompressor for zlib's format. */
    static final class Zlib extends StreamDecompressor {
        Zlib() {
            super(Format.ZLIB);
        }
    }

    /** Decompressor for gzip. */
    static final class Gzip extends StreamDecompressor {
        Gzip() {
            super(Format.GZIP);
        }
    }

    /** Returns a decompressor. */
    static Decompressor create(Format format) {
        return format == Format.GZIP ? new Gzip() : new Zlib();
    }

    /** Returns the class of {@link #create}. */
    static Class<? extends Decompressor> type(Format format) {
        return format == Format.GZIP ? Gzip.class : Zlib.class;
    }

    /** Checks a range of an array. */
    static void check(byte[] array, int offset, int count) {
        if ((offset | count) < 0 || offset > array.length - count) {
            throw new ArrayIndexOutOfBoundsException(
                    "offset " + offset + " and length " + count + " do not fit into " + array.length + " bytes");
        }
    }

    @Override
    public synchronized void setInput(byte[] source, int offset, int count) {
        check(source, offset, count);
        input = source;
        at = offset;
        length = count;
    }

    @Override
    public synchronized boolean needsInput() {
        return length == 0 && !isFinished;
    }

    @Override
    public synchronized void setDictionary(byte[] dictionary, int offset, int count) {
        throw new UnsupportedOperationException("a preset dictionary is not supported");
    }

    @Override
    public synchronized boolean needsDictionary() {
        return false;
    }

    @Override
    public synchronized boolean finished() {
        return isFinished;
    }

    @Override
    public synchronized int decompress(byte[] target, int offset, int count) throws IOException {
        check(target, offset, count);
        if (hasEnded) {
            throw new IOException("the decompressor is closed");
        }
        if (isFinished || count == 0 || length == 0) {
            return 0;
        }
        if (stream == null) {
            stream = CodecStream.decompressor(this, format);
        }
        long result;
        try {
            result = stream.run(input, at, length, target, offset, count, CodecStream.NO_FLUSH);
        } catch (DataFormatException error) {
            throw new IOException(error.getMessage(), error);
        }
        at += CodecStream.consumed(result);
        length -= CodecStream.consumed(result);
        isFinished = CodecStream.hasEnded(result);
        return CodecStream.produced(result);
    }

    @Override
    public synchronized int getRemaining() {
        return length;
    }

    @Override
    public synchronized void reset() {
        release();
        input = NONE;
        at = length = 0;
        isFinished = false;
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

    /** Decompressor between direct buffers, of a whole stream. */
    static final class Direct implements DirectDecompressor {
        private final Inflate inflate;

        Direct(Format format) {
            inflate = new Inflate(format);
        }

        @Override
        public void decompress(ByteBuffer source, ByteBuffer target) throws IOException {
            try {
                inflate.decompress(source, target);
            } catch (DataFormatException error) {
                throw new IOException(error.getMessage(), error);
            }
        }
    }
}
