package org.pelton.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.mapred.FileSplit;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.LineRecordReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pelton.Samples;

/** Codecs of Hadoop beside its own. */
class HadoopTest {
    private static Configuration conf() {
        Configuration conf = new Configuration();
        conf.set("io.compression.codecs", "org.pelton.hadoop.GzipCodec,org.pelton.hadoop.DeflateCodec");
        return conf;
    }

    private static <T extends org.apache.hadoop.conf.Configurable> T configured(T codec, Configuration conf) {
        codec.setConf(conf);
        return codec;
    }

    private static List<CompressionCodec> pair(boolean gzip) {
        Configuration conf = conf();
        return gzip
                ? Arrays.asList(configured(new GzipCodec(), conf), configured(new org.apache.hadoop.io.compress.GzipCodec(), conf))
                : Arrays.asList(configured(new DeflateCodec(), conf), configured(new org.apache.hadoop.io.compress.DeflateCodec(), conf));
    }

    private static byte[] compress(CompressionCodec codec, byte[] data) throws IOException {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        Compressor compressor = CodecPool.getCompressor(codec);
        try (OutputStream out = codec.createOutputStream(to, compressor)) {
            for (int at = 0; at < data.length; at += 10000) {
                out.write(data, at, Math.min(10000, data.length - at));
            }
        }
        CodecPool.returnCompressor(compressor);
        return to.toByteArray();
    }

    private static byte[] decompress(CompressionCodec codec, byte[] compressed, Random random) throws IOException {
        Decompressor decompressor = CodecPool.getDecompressor(codec);
        try (java.io.InputStream in = codec.createInputStream(new ByteArrayInputStream(compressed), decompressor)) {
            return Samples.readAll(in, random, 30000);
        } finally {
            CodecPool.returnDecompressor(decompressor);
        }
    }

    @Test
    void theCodecsAreFoundBySuffixAndName() {
        CompressionCodecFactory factory = new CompressionCodecFactory(conf());
        assertInstanceOf(GzipCodec.class, factory.getCodec(new org.apache.hadoop.fs.Path("a/b.gz")));
        assertInstanceOf(GzipCodec.class, factory.getCodecByName("gzip"));
        assertInstanceOf(DeflateCodec.class, factory.getCodec(new org.apache.hadoop.fs.Path("b.deflate")));
        assertEquals("bzip2", factory.getCodec(new org.apache.hadoop.fs.Path("b.bz2")).getClass().getSimpleName().substring(0, 5).toLowerCase());
    }

    @Test
    void hadoopReadsOursAndWeReadHadoops() throws Exception {
        Random random = new Random(1);
        for (boolean gzip : new boolean[] {true, false}) {
            for (int kind = 0; kind < 5; kind++) {
                for (int length : new int[] {0, 1, 70000, 3000000}) {
                    byte[] data = Samples.data(kind, length, length);
                    for (CompressionCodec writer : pair(gzip)) {
                        byte[] compressed = compress(writer, data);
                        for (CompressionCodec reader : pair(gzip)) {
                            assertArrayEquals(data, decompress(reader, compressed, random), writer.getClass() + " " + reader.getClass());
                        }
                    }
                }
            }
        }
    }

    @Test
    void compressorsAreThoseOfTheirFormat() throws Exception {
        byte[] data = Samples.data(0, 200000, 1);
        for (boolean gzip : new boolean[] {true, false}) {
            DeflateCodec codec = gzip ? new GzipCodec() : new DeflateCodec();
            Compressor compressor = codec.createCompressor();
            assertEquals(codec.getCompressorType(), compressor.getClass());
            byte[] out = new byte[300000];
            for (int round = 0; round < 2; round++) {
                int length = 0;
                int at = 0;
                while (!compressor.finished()) {
                    if (compressor.needsInput()) {
                        int piece = Math.min(7000, data.length - at);
                        compressor.setInput(data, at, piece);
                        at += piece;
                        if (at == data.length) {
                            compressor.finish();
                        }
                    }
                    length += compressor.compress(out, length, Math.min(500, out.length - length));
                }
                assertEquals(data.length, compressor.getBytesRead());
                assertEquals(length, compressor.getBytesWritten());
                Decompressor decompressor = codec.createDecompressor();
                assertEquals(codec.getDecompressorType(), decompressor.getClass());
                byte[] back = new byte[data.length];
                decompressor.setInput(out, 0, length + 3);
                int done = 0;
                while (!decompressor.finished()) {
                    done += decompressor.decompress(back, done, Math.min(900, back.length - done));
                }
                assertEquals(3, decompressor.getRemaining());
                assertArrayEquals(data, back);
                decompressor.end();
                decompressor.end();
                assertThrows(IOException.class, () -> decompressor.decompress(back, 0, 1));
                compressor.reset();
            }
            compressor.end();
            compressor.end();
            assertThrows(IOException.class, () -> compressor.compress(out, 0, 1));
            ByteBuffer source = Samples.buffer(compress(codec, Arrays.copyOf(data, 5000)), true);
            ByteBuffer target = ByteBuffer.allocateDirect(5000);
            codec.createDirectDecompressor().decompress(source, target);
            assertArrayEquals(Arrays.copyOf(data, 5000), Samples.written(target));
        }
    }

    @Test
    void sequenceFilesArePossible(@TempDir Path folder) throws Exception {
        Configuration conf = conf();
        for (CompressionCodec codec : Arrays.asList(pair(true).get(0), pair(false).get(0))) {
            for (CompressionType type : new CompressionType[] {CompressionType.RECORD, CompressionType.BLOCK}) {
                org.apache.hadoop.fs.Path file =
                        new org.apache.hadoop.fs.Path(folder.resolve(codec.getClass().getSimpleName() + type).toUri());
                try (SequenceFile.Writer writer = SequenceFile.createWriter(
                        conf, SequenceFile.Writer.file(file), SequenceFile.Writer.keyClass(LongWritable.class),
                        SequenceFile.Writer.valueClass(BytesWritable.class), SequenceFile.Writer.compression(type, codec))) {
                    for (int i = 0; i < 3000; i++) {
                        writer.append(new LongWritable(i), new BytesWritable(Samples.data(0, i, i)));
                    }
                }
                try (SequenceFile.Reader reader = new SequenceFile.Reader(conf, SequenceFile.Reader.file(file))) {
                    LongWritable key = new LongWritable();
                    BytesWritable value = new BytesWritable();
                    for (int i = 0; i < 3000; i++) {
                        assertTrue(reader.next(key, value));
                        assertEquals(i, key.get());
                        assertArrayEquals(Samples.data(0, i, i), value.copyBytes());
                    }
                    assertTrue(!reader.next(key, value));
                }
            }
        }
    }

    /** Reads every line of a file by its splits. */
    private static List<String> lines(Path file, long splitSize) throws IOException {
        JobConf job = new JobConf(conf());
        List<String> lines = new ArrayList<>();
        long length = Files.size(file);
        for (long start = 0; start < length; start += splitSize) {
            FileSplit split = new FileSplit(
                    new org.apache.hadoop.fs.Path(file.toUri()), start, Math.min(splitSize, length - start), (String[]) null);
            LineRecordReader reader = new LineRecordReader(job, split);
            LongWritable key = reader.createKey();
            Text value = reader.createValue();
            while (reader.next(key, value)) {
                lines.add(value.toString());
            }
            reader.close();
        }
        return lines;
    }

    @Test
    void splitsHaveEveryLineOnce(@TempDir Path folder) throws Exception {
        Random random = new Random(7);
        for (int round = 0; round < 40; round++) {
            List<String> expected = new ArrayList<>();
            int count = random.nextInt(4000);
            boolean returns = random.nextInt(4) == 0;
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < count; i++) {
                String line = i + new String(Samples.data(0, random.nextInt(random.nextInt(50) == 0 ? 9000 : 60), i), StandardCharsets.US_ASCII)
                        .replace('\n', ' ');
                expected.add(line);
                text.append(line).append(returns ? "\r\n" : "\n");
            }
            byte[] data = text.toString().getBytes(StandardCharsets.US_ASCII);
            Path file = folder.resolve(round + ".gz");
            try (OutputStream out = Files.newOutputStream(file)) {
                int kind = round % 4;
                int cut = data.length == 0 ? 0 : random.nextInt(data.length);
                if (kind == 0) {
                    // Of another program.
                    try (OutputStream gzip = new GZIPOutputStream(out)) {
                        gzip.write(data);
                    }
                } else if (kind == 1) {
                    // In parts, of which the middle one is of another program.
                    write(out, data, 0, cut / 2, 1024);
                    GZIPOutputStream gzip = new GZIPOutputStream(out);
                    gzip.write(data, cut / 2, cut - cut / 2);
                    gzip.finish();
                    write(out, data, cut, data.length - cut, 4096);
                } else {
                    write(out, data, 0, data.length, 1024 << random.nextInt(6));
                }
            }
            for (long splitSize : new long[] {1 + random.nextInt(3000), 1 + random.nextInt(50000), Long.MAX_VALUE / 2}) {
                List<String> actual = lines(file, Math.max(splitSize, Files.size(file) / 100 + 1));
                assertEquals(expected.size(), actual.size(), "round " + round + ", splits of " + splitSize);
                assertEquals(expected, actual);
            }
        }
    }

    private static void write(OutputStream to, byte[] data, int offset, int length, int blockSize) throws IOException {
        GzipCodec codec = new GzipCodec();
        Configuration conf = conf();
        conf.setInt(GzipCodec.BLOCK_SIZE, blockSize);
        codec.setConf(conf);
        CompressionOutputStream out = codec.createOutputStream(to);
        out.write(data, offset, length);
        out.finish();
    }

    @Test
    void badFilesAreErrors() throws Exception {
        byte[] data = Samples.data(0, 100000, 1);
        for (CompressionCodec codec : Arrays.asList(pair(true).get(0), pair(false).get(0))) {
            byte[] compressed = compress(codec, data);
            byte[] broken = compressed.clone();
            broken[broken.length / 2] ^= 1;
            assertThrows(IOException.class, () -> decompress(codec, broken, new Random(1)));
            assertThrows(IOException.class, () -> decompress(codec, Arrays.copyOf(compressed, compressed.length / 2), new Random(1)));
        }
    }
}
