package org.pelton.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.LineRecordReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pelton.PeltonOutputStream;
import org.pelton.Samples;

/** Parts of {@code .gz} files, as Hadoop's reader of lines asks for them. */
class SplitTest {
    private static Configuration conf() {
        Configuration conf = new Configuration();
        conf.set("io.compression.codecs", "org.pelton.hadoop.GzipCodec,org.pelton.hadoop.DeflateCodec");
        return conf;
    }

    /** Reads the lines of each part of a file. */
    private static List<List<String>> parts(Configuration conf, Path file, long size) throws IOException {
        List<List<String>> parts = new ArrayList<>();
        long length = Files.size(file);
        for (long start = 0; start < length; start += size) {
            FileSplit split = new FileSplit(
                    new org.apache.hadoop.fs.Path(file.toUri()), start, Math.min(size, length - start),
                            (String[]) null);
            List<String> lines = new ArrayList<>();
            LineRecordReader reader = new LineRecordReader(new JobConf(conf), split);
            try {
                LongWritable key = reader.createKey();
                Text value = reader.createValue();
                while (reader.next(key, value)) {
                    lines.add(new String(value.copyBytes(), StandardCharsets.ISO_8859_1));
                }
            } finally {
                reader.close();
            }
            parts.add(lines);
        }
        return parts;
    }

    private static List<String> lines(Configuration conf, Path file, long size) throws IOException {
        List<String> lines = new ArrayList<>();
        parts(conf, file, size).forEach(lines::addAll);
        return lines;
    }

    /** Writes bytes as blocks, behind others of a file. */
    private static void write(OutputStream to, byte[] data, int offset, int length, int blockSize) throws IOException {
        Configuration conf = conf();
        conf.setInt(GzipCodec.BLOCK_SIZE, blockSize);
        write(conf, to, data, offset, length);
    }

    private static void write(Configuration conf, OutputStream to, byte[] data, int offset,
            int length) throws IOException {
        GzipCodec codec = new GzipCodec();
        codec.setConf(conf);
        CompressionOutputStream out = codec.createOutputStream(to);
        out.write(data, offset, length);
        out.finish();
    }

    /** Writes bytes as a member of another program. */
    private static void writeForeign(OutputStream to, byte[] data, int offset, int length) throws IOException {
        GZIPOutputStream gzip = new GZIPOutputStream(to);
        gzip.write(data, offset, length);
        gzip.finish();
    }

    /** Writes a file of members of one or both programs. */
    private static void write(Path file, byte[] data, int kind, Random random) throws IOException {
        int first = data.length == 0 ? 0 : random.nextInt(data.length);
        int second = first == 0 ? 0 : random.nextInt(first);
        try (OutputStream out = Files.newOutputStream(file)) {
            switch (kind) {
                case 0:
                    writeForeign(out, data, 0, data.length);
                    break;
                case 1:
                    write(out, data, 0, second, 1024);
                    writeForeign(out, data, second, first - second);
                    write(out, data, first, data.length - first, 4096);
                    break;
                case 2:
                    second = random.nextBoolean() ? second : 0;
                    writeForeign(out, data, 0, second);
                    write(out, data, second, first - second, 1024);
                    writeForeign(out, data, first, data.length - first);
                    break;
                case 3:
                    write(out, data, 0, second, 2048);
                    writeForeign(out, data, second, (first - second) / 2);
                    writeForeign(out, data, second + (first - second) / 2, first - second - (first - second) / 2);
                    writeForeign(out, data, first, data.length - first);
                    break;
                default:
                    write(out, data, 0, data.length, 1024 << random.nextInt(6));
            }
        }
    }

    @Test
    void partsHaveEveryLineOnce(@TempDir Path folder) throws Exception {
        Random random = new Random(7);
        int filled = 0;
        for (int round = 0; round < 48; round++) {
            List<String> expected = new ArrayList<>();
            int count = random.nextInt(4000);
            boolean returns = random.nextInt(4) == 0;
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < count; i++) {
                int length = random.nextInt(random.nextInt(50) == 0 ? 9000 : 60);
                String line = i + new String(Samples.data(0, length, i), StandardCharsets.US_ASCII).replace('\n', ' ');
                expected.add(line);
                text.append(line).append(returns ? "\r\n" : "\n");
            }
            Path file = folder.resolve(round + ".gz");
            int kind = round % 6;
            byte[] data = text.toString().getBytes(StandardCharsets.US_ASCII);
            write(file, data, kind, random);
            for (long size : new long[] {1 + random.nextInt(3000), 1 + random.nextInt(50000), Long.MAX_VALUE / 2}) {
                size = Math.max(size, Files.size(file) / 100 + 1);
                List<List<String>> parts = parts(conf(), file, size);
                List<String> actual = new ArrayList<>();
                parts.forEach(actual::addAll);
                assertEquals(expected.size(), actual.size(), "round " + round + ", parts of " + size);
                assertEquals(expected, actual);
                if (kind > 3) {
                    filled += parts.stream().filter(part -> !part.isEmpty()).count() > 2 ? 1 : 0;
                }
            }
        }
        assertTrue(filled > 15, filled + " files of blocks are read in parts");
    }

    /** Returns text around files in blocks. */
    private static byte[] nested() throws IOException {
        ByteArrayOutputStream inner = new ByteArrayOutputStream();
        Random random = new Random(3);
        PeltonOutputStream blocks = new PeltonOutputStream(inner, 6, 1 << 10);
        for (int i = 0; i < 20000; i++) {
            blocks.write((random.nextLong() + "\n").getBytes(StandardCharsets.US_ASCII));
        }
        blocks.close();
        ByteArrayOutputStream outer = new ByteArrayOutputStream();
        for (int i = 0; i < 3; i++) {
            outer.write(Samples.data(0, 200000, i));
            outer.write(inner.toByteArray());
        }
        return outer.toByteArray();
    }

    @Test
    void aHeaderWithinABlockIsAnErrorAndNoWrongLine(@TempDir Path folder) throws Exception {
        byte[] data = nested();
        Path file = folder.resolve("ours.gz");
        try (OutputStream out = Files.newOutputStream(file)) {
            Configuration stored = conf();
            stored.set("zlib.compress.level", "NO_COMPRESSION");
            stored.setInt(GzipCodec.BLOCK_SIZE, 256 << 10);
            write(stored, out, data, 0, data.length);
        }
        List<String> expected = lines(conf(), file, Long.MAX_VALUE / 2);
        IOException error = assertThrows(IOException.class, () -> lines(conf(), file, 10000));
        assertTrue(error.getMessage().contains("pelton.hadoop.split=false"), error.getMessage());
        Configuration whole = conf();
        whole.setBoolean(GzipCodec.SPLIT, false);
        assertEquals(expected, lines(whole, file, 10000));
        Random random = new Random(5);
        int read = 0;
        for (int round = 0; round < 20; round++) {
            try {
                assertEquals(expected, lines(conf(), file, 50000 + random.nextInt(500000)));
                read++;
            } catch (IOException refused) {
                assertTrue(refused.getMessage().contains("looks like"), refused.getMessage());
            }
        }
        assertTrue(read < 20, "some parts begin before a header that is none");
    }

    @Test
    void aHeaderWithinAForeignFileIsNone(@TempDir Path folder) throws Exception {
        byte[] data = nested();
        Path file = folder.resolve("foreign.gz");
        try (OutputStream out = Files.newOutputStream(file);
                OutputStream gzip = new GZIPOutputStream(out) {
                    {
                        def.setLevel(Deflater.NO_COMPRESSION);
                    }
                }) {
            gzip.write(data);
        }
        List<String> expected = lines(conf(), file, Long.MAX_VALUE / 2);
        assertEquals(expected, lines(conf(), file, 10000));
    }

    @Test
    void theSearchSeesHeadersAcrossPieces() throws Exception {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        new PeltonOutputStream(block).close();
        Random random = new Random(9);
        for (int round = 0; round < 3000; round++) {
            byte[] data = Samples.data(1, 200, round);
            int at = random.nextInt(250);
            byte[] all = Arrays.copyOf(data, 300);
            System.arraycopy(block.toByteArray(), 0, all, at, PeltonOutputStream.HEADER);
            BlockSearch search = new BlockSearch(1000);
            for (int i = 0; i < all.length; ) {
                int piece = Math.min(all.length - i, random.nextInt(1 + random.nextInt(40)));
                search.add(all, i, piece);
                i += piece;
                assertEquals(i >= at + PeltonOutputStream.HEADER ? 1000 + at : -1, search.found());
            }
        }
    }

    @Test
    void aBlockSizeThatIsWrongIsNamed() {
        GzipCodec codec = new GzipCodec();
        codec.setConf(conf());
        codec.getConf().setInt(GzipCodec.BLOCK_SIZE, 10);
        assertTrue(assertThrows(IllegalArgumentException.class,
                () -> codec.createOutputStream(new ByteArrayOutputStream()))
                .getMessage().contains(GzipCodec.BLOCK_SIZE));
    }
}
