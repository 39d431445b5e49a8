package org.pelton.hadoop;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Seekable;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.SplitCompressionInputStream;
import org.apache.hadoop.io.compress.SplittableCompressionCodec;
import org.pelton.Format;
import org.pelton.PeltonInputStream;
import org.pelton.PeltonOutputStream;

/**
 * Codec of Hadoop for {@code .gz}: reads any gzip, and writes it in blocks, at which files can be split.
 *
 * <p>Its simple name is that of Hadoop's codec, so that settings by name find it too. A file of another program is not
 * split: the first of its splits reads all of it, and the others nothing. {@code pelton.hadoop.block.size} is the size of
 * a block before compression, 1 MB unless it is set.
 */
public final class GzipCodec extends DeflateCodec implements SplittableCompressionCodec {
    /** Name of the setting for the block size in bytes. */
    public static final String BLOCK_SIZE = "pelton.hadoop.block.size";

    /** Bytes that are searched for a block at a time. */
    private static final int SEARCH = 64 << 10;

    @Override
    Format format() {
        return Format.GZIP;
    }

    @Override
    public String getDefaultExtension() {
        return ".gz";
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out) {
        return createOutputStream(out, null);
    }

    /** Returns a stream that compresses blocks by itself. Of {@code compressor} nothing is needed. */
    @Override
    public CompressionOutputStream createOutputStream(OutputStream out, Compressor compressor) {
        Configuration conf = getConf();
        int size = conf.getInt(BLOCK_SIZE, 1 << 20);
        return new BlockOutputStream(out, level(conf), size);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in) throws IOException {
        return createInputStream(in, null);
    }

    /** Returns a stream that decompresses by itself. Of {@code decompressor} nothing is needed. */
    @Override
    public CompressionInputStream createInputStream(InputStream in, Decompressor decompressor) throws IOException {
        return new BlockInputStream(in, 0, Long.MAX_VALUE, false);
    }

    /**
     * Returns a stream for the part of a file from {@code start} to {@code end}: the blocks that begin there.
     *
     * @param in a file that can be positioned
     */
    @Override
    public SplitCompressionInputStream createInputStream(
            InputStream in, Decompressor decompressor, long start, long end, READ_MODE mode) throws IOException {
        if (!(in instanceof Seekable)) {
            throw new IOException(in.getClass().getName() + " has no positions, so a split of it can't be read");
        }
        if (start == 0) {
            ((Seekable) in).seek(0);
            return new BlockInputStream(in, 0, end, false);
        }
        long first = find(in, start, end);
        ((Seekable) in).seek(Math.max(first, 0));
        return new BlockInputStream(in, first < 0 ? end + 1 : first, end, first < 0);
    }

    /** Returns the offset of the first block that begins from {@code start} to before {@code end}, or -1. */
    private static long find(InputStream in, long start, long end) throws IOException {
        ((Seekable) in).seek(start);
        byte[] buffer = new byte[SEARCH + PeltonOutputStream.HEADER];
        int kept = 0;
        long offset = start;
        while (offset < end) {
            int n = in.read(buffer, kept, buffer.length - kept);
            if (n < 0) {
                return -1;
            }
            kept += n;
            int at = 0;
            for (; at + PeltonOutputStream.HEADER <= kept; at++) {
                if (PeltonOutputStream.isBlock(buffer, at)) {
                    return offset + at < end ? offset + at : -1;
                }
            }
            System.arraycopy(buffer, at, buffer, 0, kept - at);
            kept -= at;
            offset += at;
        }
        return -1;
    }

    /** Output in blocks. */
    private static final class BlockOutputStream extends CompressionOutputStream {
        private final int level;
        private final int size;
        private PeltonOutputStream blocks;
        private boolean closed;

        BlockOutputStream(OutputStream out, int level, int size) {
            super(out);
            this.level = level;
            this.size = size;
            resetState();
        }

        @Override
        public void write(int b) throws IOException {
            blocks.write(b);
        }

        @Override
        public void write(byte[] source, int offset, int length) throws IOException {
            blocks.write(source, offset, length);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void finish() throws IOException {
            blocks.finish();
        }

        @Override
        public void resetState() {
            blocks = new PeltonOutputStream(out, level, size);
        }

        @Override
        public void close() throws IOException {
            if (!closed) {
                closed = true;
                // It finishes, and closes the stream below in any case.
                super.close();
            }
        }
    }

    /** Input of a file or of a part of it. */
    private static final class BlockInputStream extends SplitCompressionInputStream {
        private final long start;
        private final boolean isEmpty;
        private PeltonInputStream blocks;

        BlockInputStream(InputStream in, long start, long end, boolean isEmpty) throws IOException {
            super(in, start, end);
            this.start = start;
            this.isEmpty = isEmpty;
            resetState();
        }

        @Override
        public int read() throws IOException {
            return isEmpty ? -1 : blocks.read();
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            return isEmpty ? -1 : blocks.read(target, offset, length);
        }

        @Override
        public int available() throws IOException {
            return isEmpty ? 0 : blocks.available();
        }

        /** Returns the position behind the start of the block that is being read, which is in the split or not. */
        @Override
        public long getPos() {
            return start + (isEmpty ? 0 : blocks.blockOffset() + 1);
        }

        @Override
        public void resetState() {
            blocks = new PeltonInputStream(in);
        }
    }
}
