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
 * Codec of Hadoop for {@code .gz}: reads any gzip, and writes it in blocks, at which files can be
 * split.
 *
 * <p>Its simple name is that of Hadoop's codec, so that settings by name find it too. A file of
 * another program is not split: the first of its splits reads all of it, and the others nothing.
 * {@code pelton.hadoop.block.size} is the size of a block before compression, 1 MB unless it is
 * set; with {@code pelton.hadoop.split=false} no file is split.
 */
public final class GzipCodec extends DeflateCodec implements SplittableCompressionCodec {
    /** Name of the setting for the block size in bytes. */
    public static final String BLOCK_SIZE = "pelton.hadoop.block.size";

    /** Name of the setting for whether files are read in parts. */
    public static final String SPLIT = "pelton.hadoop.split";

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

    /**
     * Returns a stream that compresses blocks by itself. {@code compressor} is not used.
     */
    @Override
    public CompressionOutputStream createOutputStream(OutputStream out, Compressor compressor) {
        Configuration conf = getConf();
        int size = conf.getInt(BLOCK_SIZE, 1 << 20);
        if (size < 1024 || size > PeltonInputStream.MAX_BLOCK) {
            throw new IllegalArgumentException(
                    BLOCK_SIZE + " is " + size + ", not one of 1024 to " + PeltonInputStream.MAX_BLOCK);
        }
        return new BlockOutputStream(out, level(conf), size);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in) throws IOException {
        return createInputStream(in, null);
    }

    /** Returns a stream that decompresses by itself. {@code decompressor} is not used. */
    @Override
    public CompressionInputStream createInputStream(InputStream in, Decompressor decompressor) throws IOException {
        return BlockInputStream.whole(in);
    }

    /**
     * Returns a stream for the part of a file from {@code start} to {@code end}: the blocks that
     * begin there. Members of other programs belong to the block before them. A file that does not
     * begin with a block is not split.
     *
     * @param in a file that can be positioned
     */
    @Override
    public SplitCompressionInputStream createInputStream(
            InputStream in, Decompressor decompressor, long start, long end, READ_MODE mode) throws IOException {
        if (!(in instanceof Seekable)) {
            throw new IOException(in.getClass().getName() + " has no positions, so a split of it can't be read");
        }
        Seekable file = (Seekable) in;
        file.seek(0);
        boolean isSplit = getConf().getBoolean(SPLIT, true) && find(in, 0, 1) == 0;
        if (start == 0) {
            file.seek(0);
            return isSplit ? BlockInputStream.part(in, 0, end) : BlockInputStream.whole(in);
        }
        long first = -1;
        if (isSplit) {
            file.seek(start);
            first = find(in, start, end);
        }
        if (first < 0) {
            return BlockInputStream.empty(in, end);
        }
        file.seek(first);
        return BlockInputStream.part(in, first, end);
    }

    /**
     * Returns the offset of the first block that begins from {@code start}, where the file is, to
     * before {@code end}.
     */
    private static long find(InputStream in, long start, long end) throws IOException {
        BlockSearch search = new BlockSearch(start);
        int header = PeltonOutputStream.HEADER;
        byte[] piece = new byte[end - start < SEARCH ? (int) (end - start) + header - 1 : SEARCH];
        for (long at = start; search.found() < 0 && at - header + 1 < end; ) {
            int n = in.read(piece, 0, piece.length);
            if (n < 0) {
                return -1;
            }
            search.add(piece, 0, n);
            at += n;
        }
        return search.found() < end ? search.found() : -1;
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
}
