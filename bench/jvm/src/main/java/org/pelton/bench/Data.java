package org.pelton.bench;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipInputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.util.HadoopInputFile;

/**
 * Data sets: pages of a Parquet file, text of a file or made here, JSON and table chunks made here.
 * Generated data comes from fixed seeds, and so is the same on every machine.
 */
final class Data {
    /** Bytes of generated data, and the most that is taken of a file. */
    private static final int SIZE = 8 << 20;

    private static final String[] NAMES = {
        "Anna", "Bo", "Chen", "Dina", "Emil", "Farah", "Goran", "Hana", "Ivo", "Jana",
    };
    private static final String[] EVENTS = {"view", "click", "add_to_cart", "purchase", "search", "logout", "login"};
    private static final String[] AGENTS = {
        "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X)",
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101",
    };

    private Data() {}

    /**
     * Returns the parts of a data set; no block reaches from one part to the next.
     *
     * @param name {@code text}, {@code json}, {@code pages} or {@code sstable}
     * @param text a file of text, or a .zip with one; if empty, text is generated
     * @param parquet a Parquet file without compression
     */
    static List<byte[]> of(String name, String text, String parquet) throws IOException {
        switch (name) {
            case "text":
                return List.of(text.isEmpty() ? words() : file(Paths.get(text)));
            case "json":
                return List.of(json());
            case "pages":
                return pages(Paths.get(parquet));
            case "sstable":
                return List.of(sstable());
            default:
                throw new IllegalArgumentException("no data set is called " + name);
        }
    }

    private static byte[] head(byte[] data) {
        return data.length > SIZE ? Arrays.copyOf(data, SIZE) : data;
    }

    private static byte[] file(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            if (!file.toString().endsWith(".zip")) {
                return in.readNBytes(SIZE);
            }
            ZipInputStream zip = new ZipInputStream(in);
            if (zip.getNextEntry() == null) {
                throw new IOException(file + " has no entry: name a .zip with a file of text");
            }
            return zip.readNBytes(SIZE);
        }
    }

    /**
     * Prose of invented words: their frequencies follow Zipf's law, and most pairs of words come
     * again, so that it compresses about as well as English does.
     */
    private static byte[] words() {
        Random random = new Random(3);
        String[] syllables = ("a an ar be con de di en er es ex for ga ha i in is ka la le ma me na no o on per po ra "
                + "re ri ro sa se so ta te ti to tra u un ve vi wa st th ch ing ed ly ment tion").split(" ");
        String[] words = new String[30000];
        for (int i = 0; i < words.length; i++) {
            StringBuilder word = new StringBuilder();
            // Frequent words are short.
            for (int left = 1 + random.nextInt(i < 100 ? 2 : i < 2000 ? 3 : 4); left > 0; left--) {
                word.append(syllables[random.nextInt(syllables.length)]);
            }
            words[i] = word.toString();
        }
        StringBuilder out = new StringBuilder(SIZE + 1000);
        int last = 0;
        boolean isFirst = true;
        while (out.length() < SIZE) {
            // One word in three is one of a few that follow the last one.
            int rank = random.nextInt(3) == 0
                    ? Math.floorMod(last * 31 + random.nextInt(4) * 7919, 2000)
                    : (int) Math.exp(random.nextDouble() * Math.log(words.length)) - 1;
            String word = words[rank];
            out.append(isFirst ? Character.toUpperCase(word.charAt(0)) + word.substring(1) : word);
            isFirst = random.nextInt(14) == 0;
            out.append(isFirst ? "." : random.nextInt(12) == 0 ? "," : "").append(random.nextInt(11) == 0 ? '\n' : ' ');
            last = rank;
        }
        return head(out.toString().getBytes(StandardCharsets.US_ASCII));
    }

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
                    .append(Long.toHexString(random.nextLong())).append("\",\"price\":")
                    .append(random.nextInt(100000) / 100.0)
                    .append(",\"sku\":\"SKU-").append(random.nextInt(5000)).append("\",\"agent\":\"")
                    .append(AGENTS[random.nextInt(AGENTS.length)]).append("\",\"ok\":").append(random.nextInt(20) > 0)
                    .append("}\n");
        }
        return head(out.toString().getBytes(StandardCharsets.US_ASCII));
    }

    /** Bodies of the pages of the first row group, a part for each column. */
    private static List<byte[]> pages(Path file) throws IOException {
        List<byte[]> parts = new ArrayList<>();
        try (ParquetFileReader reader = ParquetFileReader.open(
                HadoopInputFile.fromPath(new org.apache.hadoop.fs.Path(file.toUri()), new Configuration(false)))) {
            PageReadStore group = reader.readNextRowGroup();
            for (ColumnDescriptor column : reader.getFooter().getFileMetaData().getSchema().getColumns()) {
                ByteArrayOutputStream part = new ByteArrayOutputStream();
                PageReader pages = group.getPageReader(column);
                DictionaryPage dictionary = pages.readDictionaryPage();
                if (dictionary != null) {
                    dictionary.getBytes().writeAllTo(part);
                }
                for (DataPage page; (page = pages.readPage()) != null; ) {
                    ((DataPageV1) page).getBytes().writeAllTo(part);
                }
                parts.add(part.toByteArray());
            }
        }
        return parts;
    }

    /**
     * Rows of a time series in the order of their keys, much as Cassandra's table files have them:
     * flags, times, cells.
     */
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
                String state = random.nextInt(50) == 0 ? ":degraded" : ":nominal";
                out.writeUTF(EVENTS[random.nextInt(EVENTS.length)] + state);
                out.writeByte(0x08);
                out.writeInt(random.nextInt(1000));
            }
            out.writeByte(1);
        }
        return head(bytes.toByteArray());
    }
}
