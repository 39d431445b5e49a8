package org.pelton.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.SequenceFile.CompressionType;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.CompressionOutputStream;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.Decompressor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pelton.Pelton;
import org.pelton.Samples;

/** Codecs of Hadoop beside its own. */
class HadoopTest {
    private static Configuration conf() {
        Configuration conf = new Configuration();
        conf.set("io.compression.codecs", "org.pelton.hadoop.GzipCodec,org.pelton.hadoop.DeflateCodec");
        return conf;
    }

    private static <T extends Configurable> T configured(T codec, Configuration conf) {
        codec.setConf(conf);
        return codec;
    }

    private static List<CompressionCodec> pair(boolean gzip) {
        Configuration conf = conf();
        return gzip
                ? Arrays.asList(configured(new GzipCodec(), conf),
                        configured(new org.apache.hadoop.io.compress.GzipCodec(), conf))
                : Arrays.asList(configured(new DeflateCodec(), conf),
                        configured(new org.apache.hadoop.io.compress.DeflateCodec(), conf));
    }

    private static byte[] compress(CompressionCodec codec, byte[] data) throws IOException {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        Compressor compressor = CodecPool.getCompressor(codec, ((Configurable) codec).getConf());
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
        assertInstanceOf(BZip2Codec.class, factory.getCodec(new org.apache.hadoop.fs.Path("b.bz2")));
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
                            assertArrayEquals(data, decompress(reader, compressed, random), writer.getClass() + " "
                                    + reader.getClass());
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
                        SequenceFile.Writer.valueClass(BytesWritable.class),
                                SequenceFile.Writer.compression(type, codec))) {
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
    void theLevelIsThatOfHadoop() throws Exception {
        byte[] data = Samples.data(0, 300000, 1);
        for (boolean gzip : new boolean[] {true, false}) {
            List<Integer> sizes = new ArrayList<>();
            for (String level : new String[] {"BEST_COMPRESSION", "BEST_SPEED", "NO_COMPRESSION"}) {
                Configuration conf = conf();
                conf.set("zlib.compress.level", level);
                sizes.add(compress(configured(gzip ? new GzipCodec() : new DeflateCodec(), conf), data).length);
            }
            assertTrue(sizes.get(0) < sizes.get(1) && sizes.get(1) < data.length && sizes.get(2) >= data.length,
                    sizes.toString());
        }
    }

    @Test
    void streamsMayFollowOneAnother() throws Exception {
        byte[] data = Samples.data(0, 100000, 1);
        for (boolean gzip : new boolean[] {true, false}) {
            for (CompressionCodec reader : pair(gzip)) {
                ByteArrayOutputStream file = new ByteArrayOutputStream();
                ByteArrayOutputStream expected = new ByteArrayOutputStream();
                for (int i = 0; i < 6; i++) {
                    byte[] piece = Arrays.copyOf(data, i == 2 ? 0 : 100 + 30000 * (i % 3));
                    file.write(compress(pair(gzip).get(i % 2), piece));
                    expected.write(piece);
                }
                assertArrayEquals(expected.toByteArray(), decompress(reader, file.toByteArray(), new Random(1)),
                        reader.getClass().getName());
            }
        }
    }

    @Test
    void badFilesAreErrors() throws Exception {
        byte[] data = Samples.data(0, 100000, 1);
        Random random = new Random(2);
        for (boolean gzip : new boolean[] {true, false}) {
            CompressionCodec codec = pair(gzip).get(0);
            for (CompressionCodec writer : pair(gzip)) {
                byte[] compressed = compress(writer, data);
                for (int round = 0; round < 30; round++) {
                    byte[] broken = compressed.clone();
                    int at = 30 + random.nextInt(broken.length - 30);
                    broken[at] ^= 1 << random.nextInt(8);
                    assertThrows(IOException.class, () -> decompress(codec, broken, new Random(1)), "bit at " + at);
                    int cut = 1 + random.nextInt(compressed.length - 1);
                    assertThrows(
                            IOException.class, () -> decompress(codec, Arrays.copyOf(compressed, cut), new Random(1)),
                                    "cut at " + cut);
                }
                byte[] longer = Arrays.copyOf(compressed, compressed.length + 50);
                Arrays.fill(longer, compressed.length, longer.length, (byte) 'x');
                assertThrows(IOException.class, () -> decompress(codec, longer, new Random(1)));
            }
        }
        assertEquals(0, decompress(pair(true).get(0), new byte[0], random).length, "an empty file is no error");
        assertThrows(EOFException.class, () -> decompress(pair(false).get(0), new byte[0], random));
    }

    @Test
    void closedStreamsSaySo() throws Exception {
        for (boolean gzip : new boolean[] {true, false}) {
            CompressionCodec codec = pair(gzip).get(0);
            ByteArrayOutputStream to = new ByteArrayOutputStream();
            CompressionOutputStream out = codec.createOutputStream(to);
            out.write(7);
            out.write(new byte[10], 5, 0);
            out.close();
            int length = to.size();
            out.close();
            assertThrows(IOException.class, () -> out.write(7));
            assertThrows(IOException.class, () -> out.write(new byte[3], 0, 3));
            assertEquals(length, to.size());
            CompressionInputStream in = codec.createInputStream(new ByteArrayInputStream(to.toByteArray()));
            assertEquals(0, in.read(new byte[3], 0, 0));
            assertEquals(7, in.read());
            assertEquals(-1, in.read());
            assertEquals(-1, in.read(new byte[3], 0, 3));
            in.close();
            in.close();
            assertThrows(IOException.class, in::read);
        }
    }

    /** Returns how many streams of the library are open; -1 without it. */
    private static int open() throws Exception {
        Field open = Class.forName("org.pelton.NativeStream").getDeclaredField("OPEN");
        open.setAccessible(true);
        return Pelton.isAvailable() ? ((Set<?>) open.get(null)).size() : -1;
    }

    @Test
    void nothingIsHeldWhenIdle() throws Exception {
        byte[] data = Samples.data(0, 100000, 1);
        byte[] foreign = compress(pair(true).get(1), data);
        int before = open();
        CompressionInputStream in = pair(true).get(0).createInputStream(new ByteArrayInputStream(foreign));
        assertTrue(in.read() >= 0);
        assertEquals(before < 0 ? -1 : before + 1, open());
        in.close();
        assertEquals(before, open());
        DeflateCodec codec = new DeflateCodec();
        byte[] out = new byte[100];
        Compressor compressor = codec.createCompressor();
        compressor.setInput(data, 0, data.length);
        assertEquals(0, compressor.compress(out, 0, 0));
        while (compressor.compress(out, 0, out.length) == 0) {
            assertTrue(compressor.needsInput());
            compressor.setInput(data, 0, data.length);
        }
        assertEquals(before < 0 ? -1 : before + 1, open());
        compressor.reset();
        assertEquals(before, open());
        Decompressor decompressor = codec.createDecompressor();
        byte[] compressed = compress(codec, data);
        decompressor.setInput(compressed, 0, compressed.length);
        assertEquals(100, decompressor.decompress(out, 0, 100));
        assertEquals(before < 0 ? -1 : before + 1, open());
        decompressor.reset();
        assertEquals(before, open());
    }

    @Test
    void twoThreadsOnOneCompressorAreNoCrash() throws Exception {
        byte[] data = Samples.data(0, 50000, 1);
        for (boolean gzip : new boolean[] {true, false}) {
            DeflateCodec codec = gzip ? new GzipCodec() : new DeflateCodec();
            byte[] compressed = compress(codec, data);
            Compressor compressor = codec.createCompressor();
            Decompressor decompressor = codec.createDecompressor();
            AtomicLong calls = new AtomicLong();
            AtomicReference<Throwable> wrong = new AtomicReference<>();
            Thread[] threads = new Thread[2];
            for (int i = 0; i < threads.length; i++) {
                Random random = new Random(i);
                threads[i] = new Thread(() -> {
                    byte[] out = new byte[3000];
                    for (int round = 0; round < 2000; round++) {
                        try {
                            switch (random.nextInt(8)) {
                                case 0:
                                    compressor.reset();
                                    decompressor.reset();
                                    break;
                                case 1:
                                    compressor.setInput(data, 0, data.length);
                                    decompressor.setInput(compressed, 0, compressed.length);
                                    break;
                                case 2:
                                    compressor.finish();
                                    break;
                                default:
                                    compressor.compress(out, 0, out.length);
                                    decompressor.decompress(out, 0, out.length);
                            }
                            calls.incrementAndGet();
                        } catch (IOException corrupt) {
                            decompressor.reset();
                        } catch (Throwable error) {
                            wrong.set(error);
                        }
                    }
                });
                threads[i].start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(null, wrong.get());
            assertTrue(calls.get() > 1000, calls + " calls");
            compressor.end();
            decompressor.end();
        }
    }

    @Test
    void theLibraryIsLoadedUnlessItIsSwitchedOff() {
        assertEquals(!Boolean.getBoolean("pelton.disabled"), Pelton.isAvailable(), Pelton.loadError());
    }
}
