package org.pelton.parquet;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DirectDecompressionCodec;
import org.apache.hadoop.io.compress.DirectDecompressor;
import org.pelton.Deflate;
import org.pelton.Format;

/**
 * Codec of Hadoop's interface for pages of Parquet: a stream is one page.
 *
 * <p>A page is decompressed as a whole at the first read, and compressed when it is finished.
 * Parquet's own gzip works through both in steps of a few kilobytes. There are no compressors for
 * Hadoop's pool; decompressors are for Parquet's factory for direct buffers.
 */
final class PageCodec implements DirectDecompressionCodec {
    private final Deflate deflate;

    PageCodec(int level) {
        deflate = new Deflate(Format.GZIP, level);
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out) {
        return createOutputStream(out, null);
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out, Compressor none) {
        return new PageOutputStream(out, deflate);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in) throws IOException {
        return createInputStream(in, null);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in, Decompressor unused) throws IOException {
        return new PageInputStream(in);
    }

    @Override
    public Class<? extends Compressor> getCompressorType() {
        return null;
    }

    @Override
    public Compressor createCompressor() {
        return null;
    }

    @Override
    public Class<? extends Decompressor> getDecompressorType() {
        return PageDecompressor.class;
    }

    @Override
    public Decompressor createDecompressor() {
        return new PageDecompressor();
    }

    @Override
    public DirectDecompressor createDirectDecompressor() {
        return Pages::decompress;
    }

    @Override
    public String getDefaultExtension() {
        return ".gz";
    }

    /** Page to be compressed. */
    private static final class PageOutputStream extends CompressionOutputStream {
        private final Deflate deflate;
        private byte[] page = new byte[64 << 10];
        private int length;
        private boolean isFinished;

        PageOutputStream(OutputStream out, Deflate deflate) {
            super(out);
            this.deflate = deflate;
        }

        @Override
        public void write(int b) throws IOException {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] source, int offset, int count) throws IOException {
            if (isFinished) {
                throw new IOException("the page is finished");
            }
            if (count > page.length - length) {
                long wanted = Math.max(2L * page.length, (long) length + count);
                page = Arrays.copyOf(page, (int) Math.min(Integer.MAX_VALUE - 8, wanted));
            }
            System.arraycopy(source, offset, page, length, count);
            length += count;
        }

        @Override
        public void finish() throws IOException {
            if (!isFinished) {
                isFinished = true;
                int[] size = {0};
                byte[] compressed = Pages.compress(deflate, page, length, size);
                page = null;
                out.write(compressed, 0, size[0]);
            }
        }

        @Override
        public void resetState() {
            page = page == null ? new byte[64 << 10] : page;
            length = 0;
            isFinished = false;
        }
    }

    /** Page to be decompressed. */
    private static final class PageInputStream extends CompressionInputStream {
        private byte[] page;
        private int at;

        PageInputStream(InputStream in) throws IOException {
            super(in);
        }

        private void load() throws IOException {
            if (page == null) {
                byte[] compressed = Pages.readAll(in);
                page = Pages.decompress(compressed, 0, compressed.length);
            }
        }

        @Override
        public int read() throws IOException {
            load();
            return at == page.length ? -1 : page[at++] & 255;
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            load();
            if (count == 0) {
                return 0;
            }
            int piece = Math.min(count, page.length - at);
            System.arraycopy(page, at, target, offset, piece);
            at += piece;
            return piece == 0 ? -1 : piece;
        }

        @Override
        public int available() throws IOException {
            load();
            return page.length - at;
        }

        @Override
        public void resetState() {
            page = null;
            at = 0;
        }
    }
}
