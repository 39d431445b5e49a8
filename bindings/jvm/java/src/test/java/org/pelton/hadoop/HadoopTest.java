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
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
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
