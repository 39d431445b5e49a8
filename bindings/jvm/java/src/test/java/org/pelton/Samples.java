package org.pelton;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Data for tests, the same for the same seed. */
public final class Samples {
    private static final String[] WORDS = {
        "carefully", "final", "deposits", "sleep", "above", "ironic", "pending", "requests", "furiously", "a", "the", "of"
    };

    private Samples() {}

    /** Returns bytes of one kind: 0 text, 1 noise, 2 zeros, 3 numbers, 4 a mixture. */
    public static byte[] data(int kind, int length, long seed) {
        Random random = new Random(seed);
        byte[] data = new byte[length];
        switch (kind) {
            case 0:
                return text(random, length);
            case 1:
                random.nextBytes(data);
                return data;
            case 2:
                return data;
            case 3:
                for (int i = 0; i + 4 <= length; i += 4) {
                    ByteBuffer.wrap(data).putInt(i, i * 7 + random.nextInt(5));
                }
                return data;
            default:
                for (int at = 0; at < length; ) {
                    int piece = Math.min(length - at, 1 + random.nextInt(5000));
                    System.arraycopy(data(random.nextInt(4), piece, random.nextLong()), 0, data, at, piece);
                    at += piece;
                }
                return data;
        }
    }

    private static byte[] text(Random random, int length) {
        StringBuilder text = new StringBuilder(length + 64);
        while (text.length() < length) {
            text.append(random.nextInt(100000)).append('|');
            for (int i = random.nextInt(6); i >= 0; i--) {
                text.append(WORDS[random.nextInt(WORDS.length)]).append(' ');
            }
            text.append('\n');
        }
        return Arrays.copyOf(text.toString().getBytes(StandardCharsets.US_ASCII), length);
    }

    /** Reads a stream in pieces of random lengths up to {@code most}, single bytes among them. */
    public static byte[] readAll(InputStream in, Random random, int most) throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        byte[] piece = new byte[most];
        while (true) {
            int wanted = 1 + random.nextInt(most);
            if (wanted == 1) {
                int b = in.read();
                if (b < 0) {
                    return all.toByteArray();
                }
                all.write(b);
                continue;
            }
            int n = in.read(piece, 0, wanted);
            if (n < 0) {
                return all.toByteArray();
            }
            all.write(piece, 0, n);
        }
    }

    /** Returns a buffer with these bytes, outside the heap or on it, at a position other than 0. */
    public static ByteBuffer buffer(byte[] bytes, boolean direct) {
        ByteBuffer buffer = direct ? ByteBuffer.allocateDirect(bytes.length + 7) : ByteBuffer.allocate(bytes.length + 7);
        ((java.nio.Buffer) buffer).position(3);
        ByteBuffer slice = buffer.slice();
        slice.put(bytes);
        ((java.nio.Buffer) slice).flip();
        return slice;
    }

    /** Returns the bytes of a buffer before its position. */
    public static byte[] written(ByteBuffer buffer) {
        ByteBuffer copy = buffer.duplicate();
        ((java.nio.Buffer) copy).flip();
        byte[] bytes = new byte[copy.remaining()];
        copy.get(bytes);
        return bytes;
    }
}
