package org.pelton;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;

/**
 * Random use of every entry point by several threads, on good and bad data: {@code Stress SECONDS
 * [SEED]}.
 *
 * <p>Results are checked where the data is good. Where it is bad, or two threads meet on one
 * stream, only exceptions of the documented kinds may come. With the agent, {@code java.util.zip}
 * is Pelton too. A small heap keeps the collector at work.
 */
public final class Stress {
    private static final int THREADS = 8;

    /** Streams that threads share, so that they meet, and close under one another. */
    private static final AtomicReferenceArray<CodecStream> SHARED = new AtomicReferenceArray<>(4);

    private static final AtomicLong ROUNDS = new AtomicLong();
    private static final AtomicLong REFUSED = new AtomicLong();
    private static final AtomicReference<Throwable> FAILURE = new AtomicReference<>();

    private final Random random;

    private Stress(long seed) {
        random = new Random(seed);
    }

    /** Runs for a time, and exits with 1 after the first wrong result. */
    public static void main(String[] arguments) throws Exception {
        long end = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        long seed = arguments.length > 1 ? Long.parseLong(arguments[1]) : System.nanoTime();
        if (!Pelton.isAvailable()) {
            throw new IllegalStateException(Pelton.loadError());
        }
        Thread[] threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            Stress stress = new Stress(seed + t);
            threads[t] = new Thread(() -> {
                while (System.nanoTime() < end && FAILURE.get() == null) {
                    try {
                        stress.round();
                        ROUNDS.incrementAndGet();
                    } catch (Throwable failure) {
                        FAILURE.compareAndSet(null, failure);
                    }
                }
            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println("seed " + seed + ": " + ROUNDS + " rounds, " + REFUSED + " refused, Java " + System.getProperty("java.version"));
        if (FAILURE.get() != null) {
            FAILURE.get().printStackTrace(System.out);
            System.exit(1);
        }
        if (ROUNDS.get() == 0 || REFUSED.get() == 0) {
            System.out.println("too short a time: no round, or none with bad data");
            System.exit(1);
        }
    }

    private void round() throws Exception {
        int kind = random.nextInt(10);
        int length = 1 << random.nextInt(20);
        byte[] data = Samples.data(random.nextInt(5), random.nextInt(length), random.nextLong());
        switch (kind) {
            case 0:
                blocks(data);
                break;
            case 1:
                buffers(data);
                break;
            case 2:
                batch();
                break;
            case 3:
                streams(data);
                break;
            case 4:
                pieces(data);
                break;
            case 5:
                shared(data);
                break;
            case 6:
                jdkBlocks(data);
                break;
            case 7:
                jdkStreams(data);
                break;
            case 8:
                lz4AndSnappy(data);
                break;
            default:
                bad(data);
        }
    }

    private Format format() {
        return Format.values()[random.nextInt(3)];
    }

    private static void check(byte[] expected, byte[] actual) {
        if (!Arrays.equals(expected, actual)) {
            throw new AssertionError("other data: " + expected.length + " and " + actual.length + " bytes");
        }
    }

    private void blocks(byte[] data) throws Exception {
        Format format = format();
        byte[] block = new Deflate(format, random.nextInt(11) - 1).compress(data);
        byte[] back = new byte[data.length];
        new Inflate(format).decompress(block, 0, block.length, back, 0, back.length);
        check(data, back);
    }

    private void buffers(byte[] data) throws Exception {
        Format format = format();
        ByteBuffer target = Samples.buffer(new byte[Deflate.maxCompressedLength(data.length)], random.nextBoolean());
        new Deflate(format, 1 + random.nextInt(9)).compress(Samples.buffer(data, random.nextBoolean()), target);
        ByteBuffer back = Samples.buffer(new byte[data.length], random.nextBoolean());
        new Inflate(format).decompress(Samples.buffer(Samples.written(target), random.nextBoolean()), back);
        check(data, Samples.written(back));
    }

    private void batch() throws Exception {
        Format format = format();
        int count = random.nextInt(40);
        byte[][] data = new byte[count][];
        ByteBuffer[] sources = new ByteBuffer[count];
        ByteBuffer[] targets = new ByteBuffer[count];
        ByteBuffer[] backs = new ByteBuffer[count];
        for (int i = 0; i < count; i++) {
            data[i] = Samples.data(random.nextInt(5), random.nextInt(30000), random.nextLong());
            sources[i] = Samples.buffer(data[i], random.nextBoolean());
            targets[i] = Samples.buffer(new byte[Deflate.maxCompressedLength(data[i].length)], random.nextBoolean());
            backs[i] = Samples.buffer(new byte[data[i].length], random.nextBoolean());
        }
        new Deflate(format, 1 + random.nextInt(9)).compressAll(sources, targets);
        for (ByteBuffer target : targets) {
            ((java.nio.Buffer) target).flip();
        }
        new Inflate(format).decompressAll(targets, backs);
        for (int i = 0; i < count; i++) {
            check(data[i], Samples.written(backs[i]));
        }
    }

    private void streams(byte[] data) throws IOException {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        try (PeltonOutputStream out = new PeltonOutputStream(to, 1 + random.nextInt(9), 1024 << random.nextInt(8))) {
            out.write(data);
        }
        byte[] compressed = to.toByteArray();
        check(data, Samples.readAll(new PeltonInputStream(new ByteArrayInputStream(compressed)), random, 70000));
        check(data, Samples.readAll(new GZIPInputStream(new ByteArrayInputStream(compressed)), random, 70000));
    }

    private void pieces(byte[] data) throws Exception {
        Format format = format();
        CodecStream compressor = CodecStream.compressor(this, format, 1 + random.nextInt(9));
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        byte[] out = new byte[1 + random.nextInt(5000)];
        int used = 0;
        while (true) {
            int piece = Math.min(data.length - used, random.nextInt(20000));
            int flush = used + piece == data.length ? CodecStream.FINISH : random.nextInt(4) == 0 ? CodecStream.SYNC_FLUSH : 0;
            long result = compressor.run(data, used, piece, out, 0, out.length, flush);
            used += CodecStream.consumed(result);
            to.write(out, 0, CodecStream.produced(result));
            if (CodecStream.hasEnded(result)) {
                break;
            }
        }
        if (random.nextBoolean()) {
            compressor.close();
        }
        CodecStream decompressor = CodecStream.decompressor(this, format);
        byte[] compressed = to.toByteArray();
        byte[] back = new byte[data.length + 1];
        int at = 0;
        used = 0;
        while (true) {
            int piece = Math.min(compressed.length - used, 1 + random.nextInt(3000));
            long result = decompressor.run(
                    compressed, used, piece, back, at, Math.min(back.length - at, 1 + random.nextInt(9000)), 0);
            used += CodecStream.consumed(result);
            at += CodecStream.produced(result);
            if (CodecStream.hasEnded(result)) {
                break;
            }
        }
        decompressor.close();
        check(data, Arrays.copyOf(back, at));
    }

    private void shared(byte[] data) {
        int index = random.nextInt(SHARED.length());
        CodecStream stream = SHARED.get(index);
        try {
            if (stream == null || random.nextInt(8) == 0) {
                CodecStream fresh = random.nextBoolean()
                        ? CodecStream.compressor(SHARED, format(), 1 + random.nextInt(9))
                        : CodecStream.decompressor(SHARED, format());
                CodecStream old = SHARED.getAndSet(index, fresh);
                if (old != null) {
                    old.close();
                }
                return;
            }
            byte[] out = new byte[1 + random.nextInt(100000)];
            stream.run(data, 0, data.length, out, 0, out.length, random.nextInt(5));
            if (random.nextInt(3) == 0) {
                stream.reset();
            }
        } catch (IllegalStateException | DataFormatException expected) {
            REFUSED.incrementAndGet();
        }
    }

    private void jdkBlocks(byte[] data) throws Exception {
        Deflater deflater = new Deflater(random.nextInt(11) - 1, random.nextBoolean());
        deflater.setStrategy(random.nextInt(3));
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        byte[] out = new byte[1 + random.nextInt(9000)];
        for (int at = 0; at < data.length; ) {
            int piece = Math.min(data.length - at, 1 + random.nextInt(50000));
            deflater.setInput(data, at, piece);
            at += piece;
            if (random.nextInt(6) == 0) {
                deflater.setLevel(random.nextInt(10));
            }
            while (!deflater.needsInput()) {
                to.write(out, 0, deflater.deflate(out));
            }
        }
        deflater.finish();
        while (!deflater.finished()) {
            to.write(out, 0, deflater.deflate(out));
        }
        deflater.end();
        byte[] compressed = to.toByteArray();
        Inflater inflater = new Inflater((compressed[0] & 15) != 8 || ((compressed[0] & 255) << 8 | compressed[1] & 255) % 31 != 0);
        inflater.setInput(compressed);
        ByteArrayOutputStream back = new ByteArrayOutputStream();
        try {
            while (!inflater.finished()) {
                int n = inflater.inflate(out);
                back.write(out, 0, n);
                if (n == 0 && inflater.needsInput()) {
                    break;
                }
            }
            check(data, back.toByteArray());
        } catch (DataFormatException error) {
            // A raw stream may begin as a zlib header does.
            Inflater raw = new Inflater(true);
            raw.setInput(compressed);
            byte[] all = new byte[data.length];
            int n = raw.inflate(all);
            raw.end();
            check(data, Arrays.copyOf(all, n));
        } finally {
            inflater.end();
        }
    }

    private void jdkStreams(byte[] data) throws IOException {
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        // Java 11's flush() does not end with a buffer below six bytes, with the JDK's natives too.
        try (OutputStream out = new GZIPOutputStream(to, 6 + random.nextInt(9000), random.nextBoolean())) {
            for (int at = 0; at < data.length; ) {
                int piece = Math.min(data.length - at, 1 + random.nextInt(30000));
                out.write(data, at, piece);
                at += piece;
                if (random.nextInt(5) == 0) {
                    out.flush();
                }
            }
        }
        byte[] compressed = to.toByteArray();
        check(data, Samples.readAll(new GZIPInputStream(new ByteArrayInputStream(compressed), 1 + random.nextInt(9000)), random, 9000));
        check(data, Samples.readAll(new PeltonInputStream(new ByteArrayInputStream(compressed)), random, 9000));
    }

    private void lz4AndSnappy(byte[] data) throws Exception {
        ByteBuffer target = Samples.buffer(new byte[Lz4.maxCompressedLength(data.length)], random.nextBoolean());
        Lz4.compress(Samples.buffer(data, random.nextBoolean()), target);
        byte[] block = Samples.written(target);
        ByteBuffer back = Samples.buffer(new byte[data.length], random.nextBoolean());
        Lz4.decompress(Samples.buffer(block, random.nextBoolean()), back);
        check(data, Samples.written(back));
        for (int i = random.nextInt(4); i >= 0; i--) {
            block[random.nextInt(block.length)] ^= (byte) (1 << random.nextInt(8));
        }
        byte[] broken = Arrays.copyOf(block, random.nextInt(3) == 0 ? random.nextInt(block.length) : block.length);
        int size = Math.max(0, data.length + random.nextInt(200) - 100);
        try {
            Lz4.decompress(
                    Samples.buffer(broken, random.nextBoolean()), Samples.buffer(new byte[size], random.nextBoolean()));
        } catch (DataFormatException expected) {
            REFUSED.incrementAndGet();
        }
        try {
            Snappy.decompress(
                    Samples.buffer(broken, random.nextBoolean()), Samples.buffer(new byte[size], random.nextBoolean()));
        } catch (DataFormatException expected) {
            REFUSED.incrementAndGet();
        }
    }

    private void bad(byte[] data) throws Exception {
        Format format = format();
        byte[] block = new Deflate(format, 6).compress(data);
        for (int i = random.nextInt(4); i >= 0; i--) {
            block[random.nextInt(block.length)] ^= (byte) (1 << random.nextInt(8));
        }
        int length = random.nextInt(3) == 0 ? random.nextInt(block.length) : block.length;
        byte[] back = new byte[Math.max(0, data.length + random.nextInt(200) - 100)];
        try {
            new Inflate(format).decompress(block, 0, length, back, 0, back.length);
        } catch (DataFormatException expected) {
            REFUSED.incrementAndGet();
        }
        try {
            ByteBuffer[] sources = new ByteBuffer[5];
            ByteBuffer[] targets = new ByteBuffer[5];
            for (int i = 0; i < 5; i++) {
                sources[i] = Samples.buffer(Arrays.copyOf(block, random.nextInt(length + 1)), random.nextBoolean());
                targets[i] = Samples.buffer(new byte[random.nextInt(back.length + 1)], random.nextBoolean());
            }
            new Inflate(format).decompressAll(sources, targets);
        } catch (DataFormatException expected) {
            REFUSED.incrementAndGet();
        }
        try {
            Samples.readAll(new PeltonInputStream(new ByteArrayInputStream(block, 0, length)), random, 5000);
        } catch (IOException expected) {
            REFUSED.incrementAndGet();
        }
        try {
            new Deflate(format, 6).compress(data, 0, data.length, new byte[random.nextInt(30)], 0, 0);
        } catch (IllegalArgumentException expected) {
            REFUSED.incrementAndGet();
        }
        Inflater inflater = new Inflater(random.nextBoolean());
        inflater.setInput(block, 0, length);
        try {
            while (!inflater.finished() && inflater.inflate(back) > 0 && inflater.getRemaining() > 0) {
                REFUSED.incrementAndGet();
            }
        } catch (DataFormatException expected) {
            REFUSED.incrementAndGet();
        } finally {
            inflater.end();
        }
    }
}
