package org.pelton.parquet;

import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.parquet.hadoop.codec.SnappyCodec;

/**
 * Parquet's codec for Snappy, whose pages are decompressed by Pelton. Compression stays Parquet's,
 * as its library is the faster one there.
 */
final class SnappyPageCodec extends SnappyCodec {
    SnappyPageCodec() {
        setConf(new Configuration(false));
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in) throws IOException {
        return new PageCodec.PageInputStream(in, PageFormat.SNAPPY);
    }

    @Override
    public CompressionInputStream createInputStream(InputStream in, Decompressor unused) throws IOException {
        return createInputStream(in);
    }
}
