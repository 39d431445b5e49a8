package org.pelton;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.lz4.Lz4Decompressor;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Blocks of {@link Deflate} and {@link Inflate} against java.util.zip. */
class BlocksTest {
    private static final int[] LENGTHS = {0, 1, 2, 100, 4096, 65535, 65536, 65537, 300000, (1 << 20) + 1, 3 << 20};

    @BeforeAll
    static void theLibraryIsThere() {
        assertNull(Pelton.loadError());
    }

    private static byte[] deflate(byte[] data, Format format, int level) {
        assertTrue(format != Format.GZIP, "the JDK has no such class");
        Deflater deflater = new Deflater(level, format == Format.RAW);
        deflater.setInput(data);
        deflater.finish();
        byte[] out = new byte[Deflate.maxCompressedLength(data.length) + 1000];
        int n = deflater.deflate(out);
        assertTrue(deflater.finished());
        deflater.end();
        return Arrays.copyOf(out, n);
    }

    private static byte[] inflate(byte[] block, Format format, int length) throws DataFormatException {
        int header = 0;
        int trailer = 0;
        if (format == Format.GZIP) {
            header = Gzip.headerLength(block, 0, block.length);
            trailer = Gzip.TRAILER;
        }
        Inflater inflater = new Inflater(format != Format.ZLIB);
        inflater.setInput(block, header, block.length - header);
        byte[] out = new byte[length + 1];
        int n = inflater.inflate(out);
        assertTrue(inflater.finished());
        assertEquals(trailer, inflater.getRemaining());
        inflater.end();
        if (format == Format.GZIP) {
            java.util.zip.CRC32 crc = new java.util.zip.CRC32();
            crc.update(out, 0, n);
            Gzip.checkTrailer(block, block.length - trailer, (int) crc.getValue(), n);
        }
        return Arrays.copyOf(out, n);
    }

    @Test
    void theJdkReadsOurBlocksAndWeReadIts() throws Exception {
        for (int kind = 0; kind < 5; kind++) {
            for (int length : LENGTHS) {
                byte[] data = Samples.data(kind, length, length);
                for (Format format : Format.values()) {
                    for (int level : new int[] {-1, 0, 1, 6, 9}) {
                        byte[] block = new Deflate(format, level).compress(data);
                        assertArrayEquals(data, inflate(block, format, length), format + " " + level + " " + length);
                        byte[] back = new byte[length];
                        int n = new Inflate(format).decompress(block, 0, block.length, back, 0, length);
                        assertEquals(length, n);
                        assertArrayEquals(data, back);
                    }
                    if (format != Format.GZIP) {
                        byte[] block = deflate(data, format, 6);
                        byte[] back = new byte[length + 5];
                        assertEquals(length, new Inflate(format).decompress(block, 0, block.length, back, 5, length));
                        assertArrayEquals(data, Arrays.copyOfRange(back, 5, length + 5));
                    }
                }
            }
        }
    }

    @Test
    void buffersAreUsedFromTheirPositions() throws Exception {
        Random random = new Random(3);
        for (int round = 0; round < 200; round++) {
            byte[] data = Samples.data(round % 5, random.nextInt(200000), round);
            Format format = Format.values()[round % 3];
            boolean direct = random.nextBoolean();
            ByteBuffer source = Samples.buffer(data, direct);
            ByteBuffer from = random.nextInt(4) == 0 ? source.asReadOnlyBuffer() : source;
            ByteBuffer target = Samples.buffer(new byte[Deflate.maxCompressedLength(data.length)], random.nextBoolean());
            int n = new Deflate(format, 1 + random.nextInt(9)).compress(from, target);
            assertEquals(0, from.remaining());
            assertEquals(n, target.position());
            byte[] block = Arrays.copyOf(Samples.written(target), n + 3);
            ByteBuffer blockAndMore = Samples.buffer(block, random.nextBoolean());
            ByteBuffer back = Samples.buffer(new byte[data.length], random.nextBoolean());
            assertEquals(data.length, new Inflate(format).decompress(blockAndMore, back));
            assertEquals(3, blockAndMore.remaining(), "bytes after the block stay");
            assertArrayEquals(data, Samples.written(back));
        }
    }

    @Test
    void batchesAreBlocks() throws Exception {
        Random random = new Random(4);
        for (int count : new int[] {0, 1, 3, 32, 200}) {
            for (Format format : Format.values()) {
                byte[][] data = new byte[count][];
                ByteBuffer[] sources = new ByteBuffer[count];
                ByteBuffer[] targets = new ByteBuffer[count];
                ByteBuffer[] backs = new ByteBuffer[count];
                for (int i = 0; i < count; i++) {
                    data[i] = Samples.data(i % 5, random.nextInt(i % 50 == 7 ? 3 << 20 : 60000), i);
                    sources[i] = Samples.buffer(data[i], random.nextBoolean());
                    targets[i] = Samples.buffer(new byte[Deflate.maxCompressedLength(data[i].length)], random.nextBoolean());
                    backs[i] = Samples.buffer(new byte[data[i].length], random.nextBoolean());
                }
                new Deflate(format, 6).compressAll(sources, targets);
                for (ByteBuffer target : targets) {
                    ((java.nio.Buffer) target).flip();
                }
                new Inflate(format).decompressAll(targets, backs);
                for (int i = 0; i < count; i++) {
                    assertEquals(0, targets[i].remaining());
                    assertArrayEquals(data[i], Samples.written(backs[i]));
                }
            }
        }
    }

    @Test
    void aBadBlockOfABatchIsNamed() {
        byte[] data = Samples.data(0, 50000, 1);
        byte[] good = new Deflate(Format.ZLIB, 6).compress(data);
        byte[] bad = good.clone();
        bad[good.length / 2] ^= 64;
        ByteBuffer[] sources = {ByteBuffer.wrap(good), ByteBuffer.wrap(good), ByteBuffer.wrap(bad), ByteBuffer.wrap(good)};
        ByteBuffer[] targets = new ByteBuffer[4];
        Arrays.setAll(targets, i -> ByteBuffer.allocate(data.length));
        DataFormatException error =
                assertThrows(DataFormatException.class, () -> new Inflate(Format.ZLIB).decompressAll(sources, targets));
        assertTrue(error.getMessage().startsWith("block 2: "), error.getMessage());
        assertEquals(0, sources[0].position(), "no position is moved");
        assertThrows(
                IllegalArgumentException.class,
                () -> new Inflate(Format.ZLIB).decompressAll(sources, Arrays.copyOf(targets, 3)));
    }

    @Test
    void badBlocksAreErrors() throws Exception {
        Random random = new Random(5);
        for (Format format : Format.values()) {
            Inflate inflate = new Inflate(format);
            byte[] data = Samples.data(0, 20000, 2);
            byte[] block = new Deflate(format, 6).compress(data);
            byte[] back = new byte[data.length];
            for (int cut = 0; cut < block.length; cut += 1 + cut / 20) {
                int length = cut;
                assertThrows(DataFormatException.class, () -> inflate.decompress(block, 0, length, back, 0, back.length), "cut at " + cut);
            }
            assertThrows(DataFormatException.class, () -> inflate.decompress(block, 0, block.length, back, 0, back.length - 1));
            byte[] longer = Arrays.copyOf(block, block.length + 1);
            assertEquals(
                    "1 bytes follow the block",
                    assertThrows(DataFormatException.class, () -> inflate.decompress(longer, 0, longer.length, back, 0, back.length))
                            .getMessage());
            for (int round = 0; round < 2000; round++) {
                byte[] broken = block.clone();
                for (int i = random.nextInt(3); i >= 0; i--) {
                    broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
                }
                try {
                    int n = inflate.decompress(broken, 0, broken.length, back, 0, back.length);
                    // A raw stream has no checksum, and of gzip's header some bits mean nothing.
                    boolean same = n == data.length && Arrays.equals(back, data);
                    assertTrue(same || format == Format.RAW, "a corrupt block of " + format + " was decompressed");
                } catch (DataFormatException expected) {
                    assertTrue(expected.getMessage().length() > 5);
                }
            }
            byte[] noise = Samples.data(1, 5000, 9);
            assertThrows(DataFormatException.class, () -> inflate.decompress(noise, 0, noise.length, back, 0, back.length));
        }
    }

    @Test
    void aSmallTargetIsAnErrorThatSaysWhatIsEnough() {
        byte[] data = Samples.data(1, 10000, 1);
        Deflate deflate = new Deflate(Format.RAW, 6);
        for (int capacity : new int[] {0, 1, 5000, 9999}) {
            IllegalArgumentException error = assertThrows(
                    IllegalArgumentException.class, () -> deflate.compress(data, 0, data.length, new byte[capacity], 0, capacity));
            assertTrue(error.getMessage().contains(String.valueOf(Deflate.maxCompressedLength(data.length))), error.getMessage());
        }
        assertThrows(IndexOutOfBoundsException.class, () -> deflate.compress(data, 1, data.length, new byte[20000], 0, 20000));
        assertThrows(IndexOutOfBoundsException.class, () -> deflate.compress(data, -1, 2, new byte[20000], 0, 20000));
        assertThrows(IllegalArgumentException.class, () -> new Deflate(Format.RAW, 10));
        assertThrows(java.nio.ReadOnlyBufferException.class, () -> deflate.compress(
                ByteBuffer.wrap(data), ByteBuffer.allocate(20000).asReadOnlyBuffer()));
    }

    @Test
    void aBoundIsEnoughForAnyData() {
        for (int length = 0; length < 3000; length += 1 + length / 50) {
            byte[] data = Samples.data(1, length, length);
            for (Format format : Format.values()) {
                for (int level = 0; level <= 9; level++) {
                    assertTrue(new Deflate(format, level).compress(data).length <= Deflate.maxCompressedLength(length));
                }
            }
        }
        for (int length : new int[] {1 << 20, 5 << 20, 20 << 20}) {
            byte[] data = Samples.data(1, length, length);
            for (int level : new int[] {0, 1, 6, 9}) {
                assertTrue(new Deflate(Format.GZIP, level).compress(data).length <= Deflate.maxCompressedLength(length));
            }
        }
    }

    @Test
    void oneValueServesManyThreads() throws Exception {
        Deflate deflate = new Deflate(Format.GZIP, 6);
        Inflate inflate = new Inflate(Format.GZIP);
        Thread[] threads = new Thread[8];
        Throwable[] failures = new Throwable[threads.length];
        for (int t = 0; t < threads.length; t++) {
            int seed = t;
            threads[t] = new Thread(() -> {
                try {
                    for (int round = 0; round < 100; round++) {
                        byte[] data = Samples.data(round % 5, 1 + 700 * round, seed);
                        byte[] block = deflate.compress(data);
                        byte[] back = new byte[data.length];
                        inflate.decompress(block, 0, block.length, back, 0, back.length);
                        assertArrayEquals(data, back);
                    }
                } catch (Throwable failure) {
                    failures[seed] = failure;
                }
            });
            threads[t].start();
        }
        for (int t = 0; t < threads.length; t++) {
            threads[t].join();
            assertNull(failures[t]);
        }
    }

    @Test
    void aBufferThatAnotherThreadMovesIsNotOverrun() throws Exception {
        byte[] data = Samples.data(1, 64, 1);
        for (boolean direct : new boolean[] {true, false}) {
            ByteBuffer all = direct ? ByteBuffer.allocateDirect(4096) : ByteBuffer.allocate(4096);
            ((java.nio.Buffer) all).limit(1024);
            ByteBuffer target = all.slice();
            ((java.nio.Buffer) all).limit(4096);
            Thread mover = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    ((java.nio.Buffer) target).position(960);
                    ((java.nio.Buffer) target).position(0);
                }
            });
            mover.start();
            Deflate deflate = new Deflate(Format.RAW, 6);
            for (int round = 0; round < 20000; round++) {
                try {
                    deflate.compress(ByteBuffer.wrap(data), target);
                } catch (IllegalArgumentException tooSmall) {
                    // From a position near the end.
                }
            }
            mover.interrupt();
            mover.join();
            for (int i = 1024; i < 4096; i++) {
                assertEquals(0, all.get(i), "byte " + i);
            }
        }
    }

    @Test
    void aBufferIsGivenOnce() {
        ByteBuffer one = ByteBuffer.allocate(1000);
        ByteBuffer[] twice = {one, one};
        ByteBuffer[] targets = {ByteBuffer.allocate(2000), ByteBuffer.allocate(2000)};
        assertThrows(IllegalArgumentException.class, () -> new Deflate(Format.RAW, 6).compressAll(twice, targets));
        assertEquals(0, one.position());
    }

    private interface Call {
        int run(ByteBuffer source, ByteBuffer target) throws DataFormatException;
    }

    /** Checks a decompressor on a block of {@code data}, between buffers of all kinds. */
    private static void checkOneShot(byte[] data, byte[] block, Call call) throws DataFormatException {
        for (int kinds = 0; kinds < 6; kinds++) {
            ByteBuffer source = Samples.buffer(block, kinds % 2 == 0);
            ByteBuffer from = kinds >= 4 ? source.asReadOnlyBuffer() : source;
            ByteBuffer target = Samples.buffer(new byte[data.length + 5], kinds / 2 % 2 == 0);
            assertEquals(data.length, call.run(from, target));
            assertEquals(0, from.remaining());
            assertArrayEquals(data, Samples.written(target));
            for (int length : new int[] {data.length - 1, data.length / 2, 0}) {
                ByteBuffer small = Samples.buffer(new byte[Math.max(0, length)], kinds % 2 == 0);
                ByteBuffer again = ByteBuffer.wrap(block);
                if (length >= 0 && length < data.length) {
                    assertThrows(DataFormatException.class, () -> call.run(again, small));
                    assertEquals(0, again.position() + small.position(), "no position is moved");
                }
            }
        }
    }

    @Test
    void lz4IsThatOfOthers() throws Exception {
        for (int kind = 0; kind < 5; kind++) {
            for (int length : LENGTHS) {
                byte[] data = Samples.data(kind, length, length);
                byte[] theirs = new byte[Lz4.maxCompressedLength(length)];
                int n = new Lz4Compressor().compress(data, 0, length, theirs, 0, theirs.length);
                checkOneShot(data, Arrays.copyOf(theirs, n), Lz4::decompress);
                for (boolean direct : new boolean[] {false, true}) {
                    ByteBuffer source = Samples.buffer(data, direct);
                    ByteBuffer target = Samples.buffer(new byte[Lz4.maxCompressedLength(length)], direct);
                    int size = Lz4.compress(source, target);
                    assertEquals(0, source.remaining());
                    byte[] ours = Samples.written(target);
                    assertEquals(size, ours.length);
                    assertTrue(Lz4.maxDecompressedLength(size) >= length);
                    byte[] back = new byte[length];
                    assertEquals(length, new Lz4Decompressor().decompress(ours, 0, size, back, 0, length));
                    assertArrayEquals(data, back);
                    ByteBuffer small = Samples.buffer(new byte[size - 1], direct);
                    assertThrows(IllegalArgumentException.class, () -> Lz4.compress(ByteBuffer.wrap(data), small));
                    assertEquals(0, small.position());
                }
            }
        }
        assertThrows(IllegalArgumentException.class, () -> Lz4.maxCompressedLength(-1));
        assertThrows(IllegalArgumentException.class, () -> Lz4.maxCompressedLength(Lz4.MAX_LENGTH + 1));
    }

    @Test
    void snappyOfOthersIsDecompressed() throws Exception {
        for (int kind = 0; kind < 5; kind++) {
            for (int length : LENGTHS) {
                byte[] data = Samples.data(kind, length, length);
                byte[] block = org.xerial.snappy.Snappy.compress(data);
                assertEquals(length, Snappy.decompressedLength(ByteBuffer.wrap(block)));
                checkOneShot(data, block, Snappy::decompress);
            }
        }
    }

    @Test
    void badBlocksOfLz4AndSnappyAreErrors() throws Exception {
        Random random = new Random(8);
        byte[] data = Samples.data(0, 20000, 2);
        ByteBuffer compressed = ByteBuffer.allocate(Lz4.maxCompressedLength(data.length));
        Lz4.compress(ByteBuffer.wrap(data), compressed);
        byte[][] blocks = {Samples.written(compressed), org.xerial.snappy.Snappy.compress(data)};
        Call[] calls = {Lz4::decompress, Snappy::decompress};
        for (int format = 0; format < 2; format++) {
            Call call = calls[format];
            byte[] block = blocks[format];
            assertThrows(DataFormatException.class, () -> call.run(ByteBuffer.allocate(0), ByteBuffer.allocate(9)));
            int refused = 0;
            for (int round = 0; round < 5000; round++) {
                int length = random.nextInt(4) == 0 ? random.nextInt(block.length) : block.length;
                byte[] broken = Arrays.copyOf(block, length);
                for (int i = random.nextInt(3); i >= 0 && broken.length > 0; i--) {
                    broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
                }
                try {
                    // The formats have no checksum.
                    assertTrue(call.run(ByteBuffer.wrap(broken), ByteBuffer.allocate(data.length)) <= data.length);
                } catch (DataFormatException expected) {
                    assertTrue(expected.getMessage().length() > 5);
                    refused++;
                }
            }
            assertTrue(refused > 1000, refused + " of the broken blocks were refused");
        }
    }
}
