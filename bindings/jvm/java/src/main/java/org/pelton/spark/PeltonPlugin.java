package org.pelton.spark;

import com.codahale.metrics.Gauge;
import java.util.Collections;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.pelton.Pelton;
import org.pelton.parquet.PeltonParquet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plugin of Spark: Parquet's gzip, LZ4_RAW and reading of Snappy, and {@code .gz} and {@code
 * .deflate} files, by Pelton.
 *
 * <pre>{@code
 * spark.plugins=org.pelton.spark.PeltonPlugin
 * }</pre>
 *
 * <p>The driver and each executor put Pelton's codecs into Parquet's table, and the driver names
 * Pelton's codecs in {@code io.compression.codecs}. Metrics {@code pagesCompressed} and {@code
 * pagesDecompressed} count the pages of Parquet.
 */
public final class PeltonPlugin implements SparkPlugin {
    private static final Logger LOG = LoggerFactory.getLogger(PeltonPlugin.class);
    private static final String CODECS = "io.compression.codecs";
    private static final String OURS = "org.pelton.hadoop.GzipCodec,org.pelton.hadoop.DeflateCodec";

    @Override
    public DriverPlugin driverPlugin() {
        return new DriverPlugin() {
            @Override
            public Map<String, String> init(SparkContext context, PluginContext plugin) {
                start("driver");
                Configuration conf = context.hadoopConfiguration();
                String others = conf.get(CODECS);
                if (others == null || others.trim().isEmpty()) {
                    conf.set(CODECS, OURS);
                } else if (!others.contains("org.pelton.hadoop.")) {
                    conf.set(CODECS, others + "," + OURS);
                }
                return Collections.emptyMap();
            }

            @Override
            public void registerMetrics(String application, PluginContext plugin) {
                register(plugin);
            }
        };
    }

    @Override
    public ExecutorPlugin executorPlugin() {
        return new ExecutorPlugin() {
            @Override
            public void init(PluginContext plugin, Map<String, String> extra) {
                start("executor " + plugin.executorID());
                register(plugin);
            }
        };
    }

    private static void start(String where) {
        String refusal = PeltonParquet.install();
        if (refusal == null && Pelton.isAvailable()) {
            LOG.info("Pelton {} serves gzip, lz4_raw and snappy in Parquet, and .gz files of {}",
                    Pelton.version(), where);
        } else if (refusal == null) {
            LOG.info("Pelton {} serves gzip in Parquet and .gz files of {}: java.util.zip compresses, as {}",
                    Pelton.version(), where, Pelton.loadError());
        } else {
            LOG.warn("Pelton serves no Parquet pages of {}: {}", where, refusal);
        }
    }

    private static void register(PluginContext plugin) {
        Gauge<Long> compressed = PeltonParquet::compressedPages;
        Gauge<Long> decompressed = PeltonParquet::decompressedPages;
        try {
            plugin.metricRegistry().register("pagesCompressed", compressed);
            plugin.metricRegistry().register("pagesDecompressed", decompressed);
        } catch (IllegalArgumentException twice) {
            LOG.debug("the metrics are registered already");
        }
    }
}
