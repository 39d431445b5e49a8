package org.pelton.parquet;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.parquet.hadoop.CodecFactory;
import org.pelton.Deflate;
import org.pelton.Format;
import org.pelton.Pelton;
import org.pelton.hadoop.DeflateCodec;

/**
 * Pelton's codecs under Parquet, for all its readers and writers in this virtual machine that use
 * the same class loader.
 *
 * <p>Parquet finds the codec of a name in a table that starts empty. {@link #install} puts Pelton's
 * there before Hadoop's or Parquet's is looked up: for gzip, at every level, and if the library is
 * loaded, for {@code LZ4_RAW} and for reading {@code SNAPPY}. Files stay as they are. In a Parquet
 * that has no such table, nothing happens.
 */
public final class PeltonParquet {
    private static final String GZIP = "org.apache.hadoop.io.compress.GzipCodec";
    private static final String LZ4_RAW = "org.apache.parquet.hadoop.codec.Lz4RawCodec";
    private static final String SNAPPY = "org.apache.parquet.hadoop.codec.SnappyCodec";

    private PeltonParquet() {}

    /** Subclass for the sake of the table, which is protected. */
    private static final class Table extends CodecFactory {
        private Table() {
            super(new Configuration(false), 0);
        }

        static Map<String, CompressionCodec> map() {
            return CODEC_BY_NAME;
        }
    }

    /**
     * Makes Parquet use Pelton's codecs from now on. Calling it again changes nothing.
     *
     * @return null, or why Parquet keeps its own codecs
     */
    public static String install() {
        try {
            Map<String, CompressionCodec> table = Table.map();
            table.put(GZIP, gzip(-1));
            for (int level = -1; level <= 9; level++) {
                CompressionCodec codec = gzip(level);
                table.put(GZIP + ":" + DeflateCodec.levelName(level), codec);
                table.put(GZIP + ":" + level, codec);
            }
            // The JDK has no codec for these that could stand in.
            if (Pelton.isAvailable()) {
                table.put(LZ4_RAW, new PageCodec(PageFormat.LZ4, Pages::lz4, ".lz4"));
                table.put(SNAPPY, new SnappyPageCodec());
            }
            return null;
        } catch (LinkageError | UnsupportedOperationException error) {
            return "this Parquet has no table of codecs that can be filled: " + error;
        }
    }

    private static PageCodec gzip(int level) {
        return new PageCodec(PageFormat.GZIP, Pages.gzip(new Deflate(Format.GZIP, level)), ".gz");
    }

    /**
     * Makes Parquet look its own codecs up again. Readers and writers that are open keep Pelton's.
     */
    public static void uninstall() {
        try {
            Table.map().values()
                    .removeIf(codec -> codec instanceof PageCodec || codec instanceof SnappyPageCodec);
        } catch (LinkageError | UnsupportedOperationException error) {
            // Then nothing was installed.
        }
    }

    /** Returns how many pages were compressed here. */
    public static long compressedPages() {
        return Pages.COMPRESSED.get();
    }

    /** Returns how many pages were decompressed here. */
    public static long decompressedPages() {
        return Pages.DECOMPRESSED.get();
    }
}
