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

/**
 * Codec of Hadoop's interface for pages of Parquet: a stream is one page.
 *
 * <p>A page is decompressed as a whole at the first read, and compressed when it is finished.
 * Parquet's own codecs work through both in steps. There are no compressors for Hadoop's pool;
 * decompressors are for Parquet's factory for direct buffers.
 */
final class PageCodec implements DirectDecompressionCodec {
    private final PageFormat format;
    private final Pages.Compression compression;
    private final String extension;

    PageCodec(PageFormat format, Pages.Compression compression, String extension) {
        this.format = format;
        this.compression = compression;
        this.extension = extension;
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out) {
        return createOutputStream(out, null);
    }

    @Override
    public CompressionOutputStream createOutputStream(OutputStream out, Compressor none) {
        return new PageOutputStream(out, compression);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in) throws IOException {
        return new PageInputStream(in, format);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in, Decompressor unused) throws IOException {
        return new PageInputStream(in, format);
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
        return new PageDecompressor(format);
    }

    @Override
    public DirectDecompressor createDirectDecompressor() {
        return (page, target) -> Pages.fill(format, page, target);
    }

    @Override
    public String getDefaultExtension() {
        return extension;
    }

    /** Page to be compressed. */
    private static final class PageOutputStream extends CompressionOutputStream {
        private final Pages.Compression compression;
        private byte[] page = new byte[64 << 10];
        private int length;
        private boolean isFinished;

        PageOutputStream(OutputStream out, Pages.Compression compression) {
            super(out);
            this.compression = compression;
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
                byte[] compressed = compression.compress(page, length, size);
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
    static final class PageInputStream extends CompressionInputStream {
        private final PageDecompressor decompressor;

        PageInputStream(InputStream in, PageFormat format) throws IOException {
            super(in);
            decompressor = new PageDecompressor(format);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 255;
        }

        @Override
        public int read(byte[] target, int offset, int count) throws IOException {
            if (count == 0) {
                return 0;
            }
            if (decompressor.needsInput()) {
                byte[] compressed = Pages.readAll(in);
                decompressor.setInput(compressed, 0, compressed.length);
            }
            int n = decompressor.decompress(target, offset, count);
            return n == 0 ? -1 : n;
        }

        /** Returns 1 until the end is known, as Hadoop's streams. */
        @Override
        public int available() {
            return decompressor.finished() ? 0 : 1;
        }

        @Override
        public void resetState() {
            decompressor.reset();
        }
    }
}
