package org.pelton;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.DataFormatException;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

/** {@link PeltonOutputStream}, {@link PeltonInputStream} and {@link CodecStream}. */
class StreamsTest {
    private static byte[] blocks(byte[] data, int level, int blockSize, Random random) throws IOException {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        try (PeltonOutputStream out = new PeltonOutputStream(to, level, blockSize)) {
            for (int at = 0; at < data.length; ) {
                int piece = Math.min(data.length - at, 1 + random.nextInt(3 * blockSize));
                if (piece == 1) {
                    out.write(data[at]);
                } else {
                    out.write(data, at, piece);
                }
                at += piece;
            }
        }
        return to.toByteArray();
    }

    private static byte[] gzip(byte[] data) throws IOException {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        try (OutputStream out = new GZIPOutputStream(to)) {
            out.write(data);
        }
        return to.toByteArray();
    }

    private static byte[] concat(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.write(part, 0, part.length);
        }
        return all.toByteArray();
    }

    private static byte[] read(byte[] compressed) throws IOException {
        return Samples.readAll(new PeltonInputStream(new ByteArrayInputStream(compressed)), new Random(1), 100000);
    }

    /** Input that gives few bytes at a time, sometimes none. */
    private static InputStream slow(byte[] bytes, Random random) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] to, int at, int length) {
                int most = random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(700);
                return most == 0 ? 0 : super.read(to, at, Math.min(length, most));
            }

            @Override
            public synchronized int available() {
                return 0;
            }
        };
    }

    @Test
    void everyReaderOfGzipReadsBlocks() throws Exception {
        Random random = new Random(1);
        for (int kind = 0; kind < 5; kind++) {
            for (int length : new int[] {0, 1, 1023, 1024, 1025, 65536, 1 << 20, 2500001}) {
                byte[] data = Samples.data(kind, length, length);
                for (int blockSize : new int[] {1 << 10, 64 << 10, 1 << 20}) {
                    byte[] compressed = blocks(data, 1 + random.nextInt(9), blockSize, random);
                    assertArrayEquals(data, read(compressed));
                    assertArrayEquals(
                            data, Samples.readAll(new GZIPInputStream(new ByteArrayInputStream(compressed)), random, 70000));
                }
            }
        }
    }

    @Test
    void anyGzipIsRead() throws Exception {
        Random random = new Random(2);
        byte[] one = Samples.data(0, 300000, 1);
        byte[] two = Samples.data(4, 200000, 2);
        byte[] none = new byte[0];
        byte[] mixed = concat(gzip(one), blocks(two, 6, 4096, random), gzip(none), blocks(none, 6, 4096, random), gzip(two));
        assertArrayEquals(concat(one, two, two), read(mixed));
        assertArrayEquals(
                concat(one, two, two), Samples.readAll(new PeltonInputStream(slow(mixed, random)), random, 5000));
        assertArrayEquals(none, read(none));
        // A header with a name and a comment.
        byte[] named = gzip(one);
        named = concat(Arrays.copyOf(named, 10), "name\0comment\0".getBytes("US-ASCII"), Arrays.copyOfRange(named, 10, named.length));
        named[3] = 8 | 16;
        assertArrayEquals(one, read(named));
    }

    @Test
    void aCutIsAnErrorUnlessItIsBetweenMembers() throws Exception {
        byte[] data = Samples.data(0, 30000, 1);
        byte[] first = blocks(data, 6, 16384, new Random(1));
        for (byte[] compressed : new byte[][] {first, gzip(data)}) {
            int edge = Gzip.blockLength(compressed, 0, compressed.length);
            for (int cut = 1; cut < compressed.length; cut += 1 + cut / 30) {
                byte[] part = Arrays.copyOf(compressed, cut);
                if (cut != edge) {
                    assertThrows(EOFException.class, () -> read(part), "cut at " + cut);
                }
            }
            if (edge > 0) {
                assertArrayEquals(Arrays.copyOf(data, 16384), read(Arrays.copyOf(compressed, edge)));
            }
        }
    }

    @Test
    void bytesBehindTheLastMemberAreAnError() throws Exception {
        byte[] data = Samples.data(0, 30000, 1);
        for (byte[] compressed : new byte[][] {blocks(data, 6, 4096, new Random(1)), gzip(data)}) {
            for (byte[] behind : new byte[][] {{0}, {0, 0, 0}, {31, 1}, "garbage".getBytes("US-ASCII")}) {
                PeltonInputStream in = new PeltonInputStream(new ByteArrayInputStream(concat(compressed, behind)));
                byte[] back = new byte[data.length];
                for (int at = 0; at < back.length; ) {
                    at += in.read(back, at, back.length - at);
                }
                assertArrayEquals(data, back, "the data before is there");
                assertThrows(IOException.class, in::read);
                assertThrows(IOException.class, in::read, "and again");
            }
        }
    }

    @Test
    void corruptBytesAreErrorsWithTheirPlace() throws Exception {
        Random random = new Random(3);
        byte[] data = Samples.data(0, 50000, 1);
        for (byte[] compressed : new byte[][] {blocks(data, 6, 8192, random), gzip(data)}) {
            for (int round = 0; round < 1000; round++) {
                byte[] broken = compressed.clone();
                broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
                try {
                    assertArrayEquals(data, read(broken));
                } catch (ZipException | EOFException expected) {
                    assertTrue(expected.getMessage().contains("byte"), expected.getMessage());
                }
            }
        }
    }

    @Test
    void aClaimedSizeIsNoReasonToAllocate() throws Exception {
        byte[] compressed = blocks(Samples.data(0, 5000, 1), 6, 8192, new Random(1));
        // Sizes of two gigabytes, in the field of the header and in the trailer.
        byte[] field = compressed.clone();
        Gzip.writeInt(field, 16, Integer.MAX_VALUE);
        assertThrows(IOException.class, () -> {
            // The field is wrong, but the member is not: it is read as any other.
            assertArrayEquals(Samples.data(0, 5000, 1), read(field));
            throw new IOException("read");
        });
        byte[] trailer = compressed.clone();
        Gzip.writeInt(trailer, trailer.length - 4, Integer.MAX_VALUE);
        assertThrows(ZipException.class, () -> read(trailer));
        byte[] larger = compressed.clone();
        Gzip.writeInt(larger, 16, 12 << 20);
        assertThrows(EOFException.class, () -> read(larger));
    }

    @Test
    void outputsMayFollowOneAnother() throws Exception {
        byte[] data = Samples.data(4, 100000, 1);
        byte[] none = new byte[0];
        byte[] all = concat(
                blocks(none, 1, 1024, new Random(1)), blocks(data, 1, 65536, new Random(1)), blocks(none, 1, 1024, new Random(1)),
                blocks(data, 6, 1024, new Random(1)));
        assertArrayEquals(concat(data, data), read(all));
    }

    @Test
    void flushEndsABlockOnlyIfAsked() throws Exception {
        for (boolean sync : new boolean[] {false, true}) {
            ByteArrayOutputStream to = new ByteArrayOutputStream();
            PeltonOutputStream out = new PeltonOutputStream(to, 6, 65536, sync);
            out.write("first".getBytes("US-ASCII"));
            out.flush();
            assertEquals(sync, to.size() > 0);
            if (sync) {
                assertEquals("first", new String(read(to.toByteArray()), "US-ASCII"));
                int size = to.size();
                out.flush();
                assertEquals(size, to.size(), "nothing is written twice");
            }
            out.write("second".getBytes("US-ASCII"));
            out.close();
            out.close();
            assertEquals("firstsecond", new String(read(to.toByteArray()), "US-ASCII"));
            assertThrows(IOException.class, () -> out.write(1));
            assertThrows(IOException.class, out::flush);
        }
    }

    @Test
    void closedStreamsSaySo() throws Exception {
        boolean[] closed = {false};
        PeltonInputStream in = new PeltonInputStream(new ByteArrayInputStream(gzip(new byte[100])) {
            @Override
            public void close() {
                closed[0] = true;
            }
        });
        assertEquals(0, in.read());
        assertTrue(in.available() > 0, "decoded bytes wait");
        assertFalse(in.markSupported());
        in.close();
        in.close();
        assertTrue(closed[0]);
        assertThrows(IOException.class, () -> in.read(new byte[10]));
        assertThrows(IOException.class, in::available);
    }

    @Test
    void anErrorBelowIsPassedOnAndEndsTheStream() throws Exception {
        boolean[] closed = {false};
        OutputStream full = new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                throw new IOException("the disk is full");
            }

            @Override
            public void close() {
                closed[0] = true;
            }
        };
        PeltonOutputStream out = new PeltonOutputStream(full, 6, 1024);
        assertEquals("the disk is full", assertThrows(IOException.class, () -> out.write(new byte[5000])).getMessage());
        assertThrows(IOException.class, () -> out.write(1));
        out.close();
        assertTrue(closed[0]);
        PeltonOutputStream late = new PeltonOutputStream(full, 6, 1024);
        late.write(1);
        assertEquals("the disk is full", assertThrows(IOException.class, late::close).getMessage());
    }

    @Test
    void handlesRefuseLateAndDoubleUse() throws Exception {
        CodecStream handle = CodecStream.compressor(this, Format.ZLIB, 6);
        byte[] data = Samples.data(0, 200000, 1);
        byte[] out = new byte[300000];
        long result = handle.run(data, 0, data.length, out, 0, out.length, CodecStream.FINISH);
        assertTrue(CodecStream.hasEnded(result));
        assertEquals(data.length, CodecStream.consumed(result));
        handle.reset();
        handle.close();
        handle.close();
        assertThrows(IllegalStateException.class, () -> handle.run(data, 0, 10, out, 0, 10, CodecStream.FINISH));
        assertThrows(IllegalStateException.class, handle::reset);
        byte[] block = Arrays.copyOf(out, CodecStream.produced(result));
        CodecStream other = CodecStream.decompressor(this, Format.ZLIB);
        byte[] back = new byte[data.length];
        int at = 0;
        int used = 0;
        while (at < back.length) {
            result = other.run(block, used, Math.min(1000, block.length - used), back, at, Math.min(3000, back.length - at), 0);
            used += CodecStream.consumed(result);
            at += CodecStream.produced(result);
        }
        assertArrayEquals(data, back);
        other.reset();
        assertThrows(DataFormatException.class, () -> other.run(data, 0, data.length, back, 0, back.length, 0));
        other.close();
    }

    @Test
    void twoThreadsOnOneHandleAreAnErrorAndNoCrash() throws Exception {
        byte[] data = Samples.data(4, 1 << 20, 1);
        CodecStream handle = CodecStream.compressor(this, Format.RAW, 9);
        Thread[] threads = new Thread[4];
        int[] refused = new int[threads.length];
        for (int t = 0; t < threads.length; t++) {
            int index = t;
            threads[t] = new Thread(() -> {
                byte[] out = new byte[2 << 20];
                for (int round = 0; round < 30; round++) {
                    try {
                        handle.run(data, 0, data.length, out, 0, out.length, CodecStream.SYNC_FLUSH);
                    } catch (IllegalStateException | DataFormatException expected) {
                        refused[index]++;
                    }
                    if (index == 0 && round == 20) {
                        handle.close();
                    }
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertTrue(Arrays.stream(refused).sum() > 0);
        assertThrows(IllegalStateException.class, handle::reset);
    }

    /** Returns a gzip member with these flags and a name of this length. */
    private static byte[] member(byte[] data, int flags, int name, boolean rightChecksum) throws IOException {
        byte[] plain = gzip(data);
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        to.write(plain, 0, 3);
        to.write(flags);
        to.write(plain, 4, 6);
        if ((flags & Gzip.FEXTRA) != 0) {
            to.write(new byte[] {5, 1});
            to.write(new byte[261]);
        }
        for (int flag : new int[] {Gzip.FNAME, Gzip.FCOMMENT}) {
            if ((flags & flag) != 0) {
                byte[] text = new byte[name + 1];
                Arrays.fill(text, 0, name, (byte) 'n');
                to.write(text);
            }
        }
        if ((flags & Gzip.FHCRC) != 0) {
            java.util.zip.CRC32 crc = new java.util.zip.CRC32();
            crc.update(to.toByteArray());
            int sum = (int) crc.getValue() ^ (rightChecksum ? 0 : 1);
            to.write(sum);
            to.write(sum >> 8);
        }
        to.write(plain, 10, plain.length - 10);
        return to.toByteArray();
    }

    @Test
    void aHeaderMayHaveEveryPart() throws Exception {
        byte[] data = Samples.data(0, 5000, 1);
        for (int flags = 0; flags < 32; flags++) {
            for (int name : new int[] {0, 1, 80, 200000}) {
                byte[] member = member(data, flags, name, true);
                assertArrayEquals(data, read(member), "flags " + flags);
                byte[] back = new byte[data.length];
                assertEquals(data.length, new Inflate(Format.GZIP).decompress(member, 0, member.length, back, 0, back.length));
                assertArrayEquals(data, back);
                byte[] pieces = Samples.readAll(new PeltonInputStream(slow(member, new Random(1))), new Random(2), 3000);
                assertArrayEquals(data, pieces);
                if ((flags & Gzip.FHCRC) != 0) {
                    byte[] wrong = member(data, flags, name, false);
                    assertThrows(IOException.class, () -> read(wrong));
                    assertThrows(DataFormatException.class, () -> new Inflate(Format.GZIP).decompress(wrong, 0, wrong.length, back, 0, back.length));
                }
            }
        }
    }

    @Test
    void aTargetThatFitsExactlyIsEnough() throws Exception {
        for (int length : new int[] {100, 1048491, 1048492, 1048494, (1 << 20) + 3, 3 << 20}) {
            byte[] data = Samples.data(1, length, length);
            for (Format format : Format.values()) {
                byte[] block = new Deflate(format, 0).compress(data);
                byte[] back = new byte[length];
                assertEquals(length, new Inflate(format).decompress(block, 0, block.length, back, 0, length));
                assertArrayEquals(data, back);
            }
        }
    }

    @Test
    void aPauseOfTheStreamBelowIsNoEnd() throws Exception {
        byte[] data = Samples.data(0, 300000, 1);
        for (byte[] compressed : new byte[][] {gzip(data), blocks(data, 6, 4096, new Random(1))}) {
            boolean[] interrupted = {false};
            PeltonInputStream in = new PeltonInputStream(new ByteArrayInputStream(compressed) {
                @Override
                public synchronized int read(byte[] to, int at, int length) {
                    interrupted[0] ^= true;
                    if (interrupted[0]) {
                        throw new IllegalStateException("interrupted");
                    }
                    return super.read(to, at, Math.min(length, 1000));
                }
            });
            ByteArrayOutputStream back = new ByteArrayOutputStream();
            byte[] piece = new byte[5000];
            for (int n = 0; n >= 0; ) {
                try {
                    n = in.read(piece);
                    back.write(piece, 0, Math.max(n, 0));
                } catch (IllegalStateException again) {
                    n = 0;
                }
            }
            assertArrayEquals(data, back.toByteArray());
        }
    }

    /**
     * An interrupt neither changes a result nor gets lost, whenever it comes. A wait below ends
     * with its own exception, and the stream can go on.
     */
    @Test
    void interruptsAreLeftToTheCaller() throws Exception {
        byte[] data = Samples.data(0, 400000, 1);
        Thread worker = Thread.currentThread();
        AtomicBoolean isDone = new AtomicBoolean();
        Thread other = new Thread(() -> {
            while (!isDone.get()) {
                worker.interrupt();
                Thread.yield();
            }
        });
        other.start();
        int seen = 0;
        try {
            for (int round = 0; round < 30; round++) {
                byte[] compressed = round % 2 == 0 ? gzip(data) : blocks(data, 6, 16384, new Random(round));
                assertArrayEquals(data, read(compressed));
                byte[] block = new Deflate(Format.ZLIB, 6).compress(data);
                byte[] back = new byte[data.length];
                assertEquals(data.length, new Inflate(Format.ZLIB).decompress(block, 0, block.length, back, 0, back.length));
                assertArrayEquals(data, back);
                seen += Thread.interrupted() ? 1 : 0;
            }
        } finally {
            isDone.set(true);
            // Its last interrupt would end a wait for it.
            while (other.isAlive()) {
                Thread.yield();
            }
            Thread.interrupted();
        }
        assertTrue(seen > 15, "the flag was kept " + seen + " times of 30");

        PipedOutputStream writer = new PipedOutputStream();
        try (PeltonInputStream in = new PeltonInputStream(new PipedInputStream(writer, 1 << 20))) {
            byte[] compressed = gzip(data);
            writer.write(compressed, 0, compressed.length / 2);
            int taken = 0;
            byte[] back = new byte[data.length];
            worker.interrupt();
            while (taken < back.length) {
                try {
                    taken += in.read(back, taken, back.length - taken);
                } catch (InterruptedIOException wait) {
                    assertFalse(worker.isInterrupted());
                    writer.write(compressed, compressed.length / 2, compressed.length - compressed.length / 2);
                    writer.close();
                }
            }
            assertEquals(-1, in.read());
            assertArrayEquals(data, back);
        }
    }

    @Test
    void afterMemoryRanOutTheStreamIsClosed() throws Exception {
        ByteArrayOutputStream to = new ByteArrayOutputStream() {
            @Override
            public void write(byte[] bytes, int at, int length) {
                throw new OutOfMemoryError("for a test");
            }
        };
        PeltonOutputStream out = new PeltonOutputStream(to, 6, 1024);
        assertThrows(OutOfMemoryError.class, () -> out.write(new byte[3000]));
        assertThrows(IOException.class, () -> out.write(new byte[3000]));
        assertThrows(IllegalArgumentException.class, () -> CodecStream.compressor(this, Format.GZIP, 42));
    }
}
