package org.pelton.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.io.CompressionCodec;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pelton.Samples;
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
                .config("spark.sql.parquet.compression.codec", "gzip")
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
        String path = folder.resolve("table").toString();
        long compressed = PeltonParquet.compressedPages();
        rows(300000).write().parquet(path);
        assertTrue(PeltonParquet.compressedPages() - compressed > 3);
        String[] files = new File(path).list((in, name) -> name.endsWith(".gz.parquet"));
        assertTrue(files != null && files.length > 0, "files of gzip");
        long decompressed = PeltonParquet.decompressedPages();
        Dataset<Row> table = spark.read().parquet(path);
        assertEquals(300000, table.count());
        assertEquals(0, table.except(rows(300000)).count());
        assertTrue(PeltonParquet.decompressedPages() - decompressed > 3);
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
    void outputsOfTheCodecMayFollowOneAnother() throws Exception {
        PeltonCompressionCodec codec = new PeltonCompressionCodec(new SparkConf(false));
        byte[] data = Samples.data(0, 300000, 1);
        ByteArrayOutputStream first = new ByteArrayOutputStream();
        try (OutputStream out = codec.compressedOutputStream(first)) {
            out.write(data);
        }
        ByteArrayOutputStream none = new ByteArrayOutputStream();
        codec.compressedOutputStream(none).close();
        ByteArrayOutputStream continuous = new ByteArrayOutputStream();
        OutputStream out = codec.compressedContinuousOutputStream(continuous);
        out.write(data, 0, 1000);
        out.flush();
        assertArrayEquals(
                Arrays.copyOf(data, 1000),
                Samples.readAll(codec.compressedContinuousInputStream(new ByteArrayInputStream(continuous.toByteArray())), new Random(1), 500));
        byte[] both = Samples.readAll(
                codec.compressedInputStream(new SequenceInputStream(
                        new SequenceInputStream(new ByteArrayInputStream(first.toByteArray()), new ByteArrayInputStream(none.toByteArray())),
                        new ByteArrayInputStream(first.toByteArray()))),
                new Random(1), 50000);
        assertArrayEquals(data, Arrays.copyOf(both, data.length));
        assertArrayEquals(data, Arrays.copyOfRange(both, data.length, both.length));
        Class<?> companion = Class.forName("org.apache.spark.io.CompressionCodec$");
        boolean concatenates = (boolean) companion
                .getMethod("supportsConcatenationOfSerializedStreams", CompressionCodec.class)
                .invoke(companion.getField("MODULE$").get(null), codec);
        assertTrue(concatenates, "Spark merges and fetches several outputs at once");
    }
}
