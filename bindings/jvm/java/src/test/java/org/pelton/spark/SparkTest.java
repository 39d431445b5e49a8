package org.pelton.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.file.Path;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pelton.parquet.PeltonParquet;

/** One session of Spark on two threads, with the codec for its shuffle and the plugin. */
class SparkTest {
    @TempDir
    static Path folder;

    private static SparkSession spark;

    @BeforeAll
    static void start() {
        spark = SparkSession.builder()
                .master("local[2]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.sql.shuffle.partitions", "4")
                .config("spark.sql.warehouse.dir", folder.resolve("warehouse").toString())
                .config("spark.local.dir", folder.resolve("local").toString())
                .config("spark.io.compression.codec", "org.pelton.spark.PeltonCompressionCodec")
                .config("spark.plugins", "org.pelton.spark.PeltonPlugin")
                .getOrCreate();
    }

    @AfterAll
    static void stop() {
        spark.stop();
    }

    private static Dataset<Row> rows(int count) {
        return spark.range(count).selectExpr("id", "id % 97 AS kind", "concat('name ', hash(id)) AS name");
    }

    @Test
    void aShuffleGoesThroughTheCodec() {
        CompressionCodec codec = CompressionCodec.createCodec(spark.sparkContext().conf());
        assertInstanceOf(PeltonCompressionCodec.class, codec);
        long before = PeltonCompressionCodec.streams();
        Row[] found = (Row[]) rows(200000).repartition(7).groupBy("kind").count().orderBy("kind").collect();
        assertEquals(97, found.length);
        for (Row row : found) {
            long kind = row.getLong(0);
            assertEquals(200000 / 97 + (kind < 200000 % 97 ? 1 : 0), row.getLong(1));
        }
        assertTrue(PeltonCompressionCodec.streams() - before > 10, "streams of the shuffle");
    }

    @Test
    void parquetIsWrittenAndReadHere() {
        parquetIsWrittenAndReadHere("gzip", ".gz.parquet", true);
        parquetIsWrittenAndReadHere("lz4raw", ".lz4raw.parquet", true);
        // Parquet's own library compresses Snappy.
        parquetIsWrittenAndReadHere("snappy", ".snappy.parquet", false);
    }

    private static void parquetIsWrittenAndReadHere(String codec, String extension, boolean isCompressedHere) {
        String path = folder.resolve("table-" + codec).toString();
        long compressed = PeltonParquet.compressedPages();
        rows(300000).write().option("compression", codec).parquet(path);
        assertEquals(isCompressedHere, PeltonParquet.compressedPages() - compressed > 3, codec);
        String[] files = new File(path).list((in, name) -> name.endsWith(extension));
        assertTrue(files != null && files.length > 0, "files of " + codec);
        long decompressed = PeltonParquet.decompressedPages();
        Dataset<Row> table = spark.read().parquet(path);
        assertEquals(300000, table.count());
        assertEquals(0, table.except(rows(300000)).count());
        assertTrue(PeltonParquet.decompressedPages() - decompressed > 3, codec);
    }

    @Test
    void textFilesAreSplit() {
        String path = folder.resolve("text").toString();
        rows(200000).selectExpr("concat(id, ',', name) AS value").coalesce(1).write()
                .option("compression", "org.pelton.hadoop.GzipCodec").text(path);
        spark.conf().set("spark.sql.files.maxPartitionBytes", "200000");
        try {
            Dataset<Row> text = spark.read().text(path);
            assertTrue(text.toJavaRDD().getNumPartitions() > 3, "one file is read in parts");
            assertEquals(200000, text.count());
            assertEquals(200000, text.distinct().count());
        } finally {
            spark.conf().unset("spark.sql.files.maxPartitionBytes");
        }
    }

    @Test
    void jsonOfSplitFilesIsRead() {
        String path = folder.resolve("json").toString();
        rows(100000).coalesce(1).write().option("compression", "org.pelton.hadoop.GzipCodec").json(path);
        spark.conf().set("spark.sql.files.maxPartitionBytes", "300000");
        try {
            Dataset<Row> json = spark.read().schema("id BIGINT, kind BIGINT, name STRING").json(path);
            assertTrue(json.toJavaRDD().getNumPartitions() > 1, "one file is read in parts");
            assertEquals(100000, json.count());
            assertEquals(0, json.except(rows(100000)).count());
        } finally {
            spark.conf().unset("spark.sql.files.maxPartitionBytes");
        }
    }
}
