package org.pelton.cassandra;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.apache.cassandra.io.compress.BufferType;
import org.apache.cassandra.io.compress.DeflateCompressor;
import org.apache.cassandra.io.compress.ICompressor;
import org.apache.cassandra.io.compress.PeltonCompressor;
import org.junit.jupiter.api.Test;
import org.pelton.Samples;

/** {@link PeltonCompressor} on chunks as Cassandra passes them. */
class CassandraTest {
    @Test
    void chunksAreZlibStreams() throws Exception {
        for (String level : new String[] {"1", "6", "9"}) {
            PeltonCompressor compressor = PeltonCompressor.create(Collections.singletonMap("level", level));
            for (int kind = 0; kind < 5; kind++) {
                for (int length : new int[] {1, 4096, 16384, 65536}) {
                    byte[] chunk = Samples.data(kind, length, 1);
                    for (boolean direct : new boolean[] {true, false}) {
                        ByteBuffer output =
                                Samples.buffer(new byte[compressor.initialCompressedBufferLength(length)], direct);
                        compressor.compress(Samples.buffer(chunk, direct), output);
                        byte[] compressed = Samples.written(output);
                        Inflater inflater = new Inflater();
                        inflater.setInput(compressed);
                        byte[] back = new byte[length];
                        assertEquals(length, inflater.inflate(back));
                        assertTrue(inflater.finished() || inflater.inflate(new byte[1]) == 0);
                        assertArrayEquals(chunk, back);
                        ByteBuffer target = Samples.buffer(new byte[length], direct);
                        compressor.uncompress(Samples.buffer(compressed, direct), target);
                        assertArrayEquals(chunk, Samples.written(target));
                    }
                    Deflater deflater = new Deflater();
                    deflater.setInput(chunk);
                    deflater.finish();
                    byte[] theirs = new byte[length + 100];
                    int n = deflater.deflate(theirs);
                    byte[] back = new byte[length + 10];
                    assertEquals(length, compressor.uncompress(theirs, 0, n, back, 10));
                    assertArrayEquals(chunk, Arrays.copyOfRange(back, 10, length + 10));
                }
            }
        }
    }

    @Test
    void mistakesAreNamed() {
        assertThrows(IllegalArgumentException.class,
                () -> PeltonCompressor.create(Collections.singletonMap("level", "0")));
        assertThrows(IllegalArgumentException.class,
                () -> PeltonCompressor.create(Collections.singletonMap("level", "six")));
        PeltonCompressor compressor = PeltonCompressor.create(Collections.emptyMap());
        assertTrue(compressor.supports(BufferType.ON_HEAP) && compressor.supports(BufferType.OFF_HEAP));
        assertTrue(compressor.supportedOptions().contains("level"));
        IOException error = assertThrows(IOException.class,
                () -> compressor.uncompress(new byte[100], 0, 100, new byte[100], 0));
        assertTrue(error.getMessage().contains("chunk"), error.getMessage());
        assertThrows(IOException.class,
                () -> compressor.compress(ByteBuffer.wrap(Samples.data(1, 1000, 1)), ByteBuffer.allocate(10)));
    }

    @Test
    void deflateCompressorReadsOursAndWeReadItsOwn() throws Exception {
        List<ICompressor> both = Arrays.asList(
                PeltonCompressor.create(Collections.emptyMap()), DeflateCompressor.create(Collections.emptyMap()));
        for (ICompressor writer : both) {
            for (ICompressor reader : both) {
                for (int kind = 0; kind < 5; kind++) {
                    for (int length : new int[] {1, 4096, 16384, 100000}) {
                        // Bits: a direct source, and a direct target, of each call.
                        for (int direct = 0; direct < 16; direct++) {
                            byte[] chunk = Samples.data(kind, length, direct);
                            ByteBuffer source = Samples.buffer(chunk, (direct & 1) > 0);
                            ByteBuffer compressed = Samples.buffer(
                                    new byte[writer.initialCompressedBufferLength(length)], (direct & 2) > 0);
                            writer.compress(source, compressed);
                            assertEquals(0, source.remaining());
                            ByteBuffer input = Samples.buffer(Samples.written(compressed), (direct & 4) > 0);
                            ByteBuffer output = Samples.buffer(new byte[length], (direct & 8) > 0);
                            reader.uncompress(input, output);
                            assertEquals(0, input.remaining());
                            assertArrayEquals(chunk, Samples.written(output));
                        }
                    }
                }
            }
        }
    }

    @Test
    void badChunksAreErrors() throws Exception {
        PeltonCompressor compressor = PeltonCompressor.create(Collections.emptyMap());
        byte[] chunk = Samples.data(0, 16384, 1);
        ByteBuffer output = ByteBuffer.allocate(compressor.initialCompressedBufferLength(chunk.length));
        compressor.compress(ByteBuffer.wrap(chunk), output);
        byte[] compressed = Samples.written(output);
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            byte[] cut = Arrays.copyOf(compressed, round == 0 ? 0 : random.nextInt(compressed.length));
            byte[] broken = compressed.clone();
            broken[random.nextInt(broken.length)] ^= 1 << random.nextInt(8);
            for (byte[] bad : new byte[][] {cut, broken}) {
                boolean direct = random.nextBoolean();
                ByteBuffer source = Samples.buffer(bad, direct);
                ByteBuffer target = Samples.buffer(new byte[chunk.length], direct);
                assertThrows(IOException.class, () -> compressor.uncompress(source, target));
                assertEquals(bad.length, source.remaining(), "no position is moved");
                assertEquals(chunk.length, target.remaining());
                assertThrows(IOException.class,
                        () -> compressor.uncompress(bad, 0, bad.length, new byte[chunk.length], 0));
            }
        }
        assertThrows(
                IOException.class,
                () -> compressor.uncompress(ByteBuffer.wrap(compressed), ByteBuffer.allocate(chunk.length - 1)));
        byte[] longer = Arrays.copyOf(compressed, compressed.length + 9);
        assertEquals(chunk.length, compressor.uncompress(longer, 0, longer.length, new byte[chunk.length], 0));
    }

    @Test
    void threadsShareACompressor() throws Exception {
        PeltonCompressor compressor = PeltonCompressor.create(Collections.singletonMap("level", "3"));
        ExecutorService threads = Executors.newFixedThreadPool(3);
        List<Future<?>> done = new ArrayList<>();
        for (int thread = 0; thread < 3; thread++) {
            int seed = thread;
            done.add(threads.submit(() -> {
                for (int i = 0; i < 300; i++) {
                    byte[] chunk = Samples.data(i % 5, 16384, seed);
                    ByteBuffer compressed =
                            ByteBuffer.allocateDirect(compressor.initialCompressedBufferLength(chunk.length));
                    compressor.compress(Samples.buffer(chunk, true), compressed);
                    ByteBuffer back = Samples.buffer(new byte[chunk.length], true);
                    compressor.uncompress(Samples.buffer(Samples.written(compressed), true), back);
                    assertArrayEquals(chunk, Samples.written(back));
                }
                return null;
            }));
        }
        for (Future<?> one : done) {
            one.get();
        }
        threads.shutdown();
    }
}
