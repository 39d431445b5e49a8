package org.pelton.bench;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;

/**
 * Data sets, the same on every machine: text and Parquet pages from files that the user has, JSON and chunks of SSTables
 * made here from a seed.
 */
final class Data {
    /** Bytes of a data set, at most. */
    private static final int SIZE = 8 << 20;

    private Data() {}

    /**
     * Returns a data set.
     *
     * @param name {@code text}, {@code json}, {@code pages} or {@code sstable}
     * @param text a file of text
     * @param parquet a Parquet file without compression
     */
    static byte[] of(String name, String text, String parquet) throws IOException {
        switch (name) {
            case "text":
                return head(Files.readAllBytes(Paths.get(text)));
            case "json":
                return json();
            case "pages":
                return pages(Paths.get(parquet));
            case "sstable":
                return sstable();
            default:
                throw new IllegalArgumentException("no data set is called " + name);
        }
    }

    private static byte[] head(byte[] data) {
        return data.length > SIZE ? Arrays.copyOf(data, SIZE) : data;
    }

    private static final String[] NAMES = {"Anna", "Bo", "Chen", "Dina", "Emil", "Farah", "Goran", "Hana", "Ivo", "Jana"};
    private static final String[] EVENTS = {"view", "click", "add_to_cart", "purchase", "search", "logout", "login"};
    private static final String[] AGENTS = {
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X)",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101",
    };

    /** Events of a shop, a line each. */
    private static byte[] json() {
        Random random = new Random(1);
        StringBuilder out = new StringBuilder(SIZE + 1000);
        long time = 1_764_000_000_000L;
        while (out.length() < SIZE) {
            time += random.nextInt(900);
            out.append("{\"ts\":").append(time).append(",\"event\":\"").append(EVENTS[random.nextInt(EVENTS.length)])
                    .append("\",\"user\":{\"id\":").append(random.nextInt(200000)).append(",\"name\":\"")
                    .append(NAMES[random.nextInt(NAMES.length)]).append("\"},\"session\":\"")
                    .append(Long.toHexString(random.nextLong())).append("\",\"price\":").append(random.nextInt(100000) / 100.0)
                    .append(",\"sku\":\"SKU-").append(random.nextInt(5000)).append("\",\"agent\":\"")
                    .append(AGENTS[random.nextInt(AGENTS.length)]).append("\",\"ok\":").append(random.nextInt(20) > 0).append("}\n");
        }
        return head(out.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /** Bodies of the pages of all columns, in turn. */
    private static byte[] pages(Path file) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ParquetFileReader reader = ParquetFileReader.open(
                HadoopInputFile.fromPath(new org.apache.hadoop.fs.Path(file.toUri()), new Configuration(false)))) {
            for (PageReadStore group; (group = reader.readNextRowGroup()) != null && out.size() < 4 * SIZE; ) {
                for (ColumnDescriptor column : reader.getFooter().getFileMetaData().getSchema().getColumns()) {
                    PageReader pages = group.getPageReader(column);
                    DictionaryPage dictionary = pages.readDictionaryPage();
                    if (dictionary != null) {
                        out.write(dictionary.getBytes().toByteArray());
                    }
                    int taken = 0;
                    for (DataPage page; (page = pages.readPage()) != null && taken < SIZE / 8; ) {
                        byte[] bytes = ((DataPageV1) page).getBytes().toByteArray();
                        out.write(bytes);
                        taken += bytes.length;
                    }
                }
            }
        }
        return head(out.toByteArray());
    }

    /** Rows of a time series, in the order of their keys, much as Cassandra stores them: flags, times, cells. */
    private static byte[] sstable() throws IOException {
        Random random = new Random(2);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        for (int sensor = 0; bytes.size() < SIZE; sensor++) {
            String key = "sensor-" + String.format("%06d", sensor) + "/station-" + sensor % 97;
            out.writeUTF(key);
            out.writeInt(Integer.MAX_VALUE);
            out.writeLong(Long.MIN_VALUE);
            double value = 20 + random.nextInt(60);
            for (int row = 0; row < 200; row++) {
                value += random.nextGaussian();
                out.writeByte(0x24);
                out.writeLong(1_764_000_000_000L + row * 60_000L);
                out.writeShort(48 + random.nextInt(6));
                out.writeByte(random.nextInt(90));
                out.writeByte(0x08);
                out.writeDouble(Math.round(value * 100) / 100.0);
                out.writeByte(0x08);
                out.writeUTF(EVENTS[random.nextInt(EVENTS.length)] + ":" + (random.nextInt(50) == 0 ? "degraded" : "nominal"));
                out.writeByte(0x08);
                out.writeInt(random.nextInt(1000));
            }
            out.writeByte(1);
        }
        return head(bytes.toByteArray());
    }
}
