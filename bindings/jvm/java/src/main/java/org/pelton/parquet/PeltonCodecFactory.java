package org.pelton.parquet;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.pelton.Deflate;
import org.pelton.Format;
import org.pelton.Pelton;

/**
 * Codec factory for programs that read and write Parquet themselves.
 *
 * <pre>{@code
 * ParquetReadOptions.builder().withCodecFactory(new PeltonCodecFactory(conf, 6))
 * }</pre>
 *
 * <p>Pages of gzip are Pelton's, and if its library is loaded, those of {@code LZ4_RAW} and, when
 * they are read, of {@code SNAPPY}. Those of other codecs are Parquet's own. One factory serves one
 * thread, as Parquet's.
 */
public final class PeltonCodecFactory implements CompressionCodecFactory {
    /** {@code getCompressor} with a level, which Parquet has from 1.18 on; null before. */
    private static final Method AT_LEVEL = atLevel();

    private final CompressionCodecFactory others;
    private final Deflate deflate;

    /**
     * A factory.
     *
     * @param conf settings for the other codecs
     * @param level level of gzip, -1 to 9
     */
    public PeltonCodecFactory(Configuration conf, int level) {
        others = new CodecFactory(conf, 1 << 20);
        deflate = new Deflate(Format.GZIP, level);
    }

    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName codec) {
        switch (served(codec)) {
            case "GZIP":
                return new PageCompressor(codec, Pages.gzip(deflate));
            case "LZ4_RAW":
                return new PageCompressor(codec, Pages::lz4);
            default:
                return others.getCompressor(codec);
        }
    }

    /** Returns the name of a codec whose pages are Pelton's; "" for others. */
    private static String served(CompressionCodecName codec) {
        // Some versions of Parquet have no LZ4_RAW.
        return codec == CompressionCodecName.GZIP || Pelton.isAvailable() ? codec.name() : "";
    }

    /**
     * Returns a compressor for columns with a level of their own, which LZ4 does not have. Parquet
     * calls this from 1.18 on.
     *
     * @throws IllegalArgumentException if gzip has no such level
     */
    public BytesInputCompressor getCompressor(CompressionCodecName codec, int level) {
        if (codec == CompressionCodecName.GZIP) {
            return new PageCompressor(codec, Pages.gzip(new Deflate(Format.GZIP, level)));
        }
        if (AT_LEVEL == null || served(codec).equals("LZ4_RAW")) {
            return getCompressor(codec);
        }
        try {
            return (BytesInputCompressor) AT_LEVEL.invoke(others, codec, level);
        } catch (InvocationTargetException error) {
            if (error.getCause() instanceof RuntimeException) {
                throw (RuntimeException) error.getCause();
            }
            throw new IllegalStateException(error.getCause());
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    private static Method atLevel() {
        try {
            return CompressionCodecFactory.class.getMethod("getCompressor", CompressionCodecName.class, int.class);
        } catch (NoSuchMethodException older) {
            return null;
        }
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
        switch (served(codec)) {
            case "GZIP":
                return new PageDecompression(PageFormat.GZIP);
            case "LZ4_RAW":
                return new PageDecompression(PageFormat.LZ4);
            case "SNAPPY":
                return new PageDecompression(PageFormat.SNAPPY);
            default:
                return others.getDecompressor(codec);
        }
    }

    @Override
    public void release() {
        others.release();
    }

    private static final class PageCompressor implements BytesInputCompressor {
        private final CompressionCodecName codec;
        private final Pages.Compression compression;

        PageCompressor(CompressionCodecName codec, Pages.Compression compression) {
            this.codec = codec;
            this.compression = compression;
        }

        @Override
        public BytesInput compress(BytesInput bytes) throws IOException {
            byte[] page = bytes.toByteArray();
            int[] size = {0};
            byte[] compressed = compression.compress(page, page.length, size);
            return BytesInput.from(compressed, 0, size[0]);
        }

        @Override
        public CompressionCodecName getCodecName() {
            return codec;
        }

        @Override
        public void release() {}
    }

    private static final class PageDecompression implements BytesInputDecompressor {
        private final PageFormat format;

        PageDecompression(PageFormat format) {
            this.format = format;
        }

        @Override
        public BytesInput decompress(BytesInput bytes, int size) throws IOException {
            return BytesInput.from(Pages.decompress(format, bytes.toByteArray(), size));
        }

        @Override
        public void decompress(ByteBuffer input, int compressedSize, ByteBuffer output, int size) throws IOException {
            ByteBuffer page = input.duplicate();
            ((java.nio.Buffer) page).limit(page.position() + compressedSize);
            ByteBuffer target = output.duplicate();
            ((java.nio.Buffer) target).limit(target.position() + size);
            Pages.fill(format, page, target);
            ((java.nio.Buffer) input).position(input.position() + compressedSize);
            ((java.nio.Buffer) output).position(output.position() + size);
        }

        @Override
        public void release() {}
    }
}
