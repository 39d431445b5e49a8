package org.pelton.agent;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.pelton.Samples;

/**
 * Random calls of Deflater and Inflater, with a transcript of all that Java sees: {@code ZipProgram
 * write|read FILE SEED COUNT}.
 *
 * <p>{@code write} compresses, and puts the streams and their data's checksums into the file; its
 * transcript has no sizes of compressed data, which differ between libraries. {@code read}
 * decompresses the streams of a file, whole, damaged and in pieces; its transcript has every number
 * and exception. The bytes read before a stream's end are marked by {@code read=}: once the output
 * is full, a library may stop before a block's header or after it. A test compares the transcripts
 * of virtual machines with and without the agent. The methods for buffers are newer than Java 8,
 * and called by name.
 */
public final class ZipProgram {
    private final Random random;
    private final PrintStream transcript;

    private ZipProgram(long seed, PrintStream transcript) {
        // Neighboring seeds begin alike: the first bit is the same for thousands of them.
        this.random = new Random(seed * 0x9e3779b97f4a7c15L);
        this.transcript = transcript;
    }

    /** Runs one of the two. */
    public static void main(String[] arguments) throws Exception {
        long seed = Long.parseLong(arguments[2]);
        int count = Integer.parseInt(arguments[3]);
        PrintStream out = new PrintStream(new FileOutputStream(java.io.FileDescriptor.out), false);
        if (arguments[0].equals("write")) {
            try (DataOutputStream file = new DataOutputStream(new BufferedOutputStream(new FileOutputStream(arguments[1])))) {
                for (int i = 0; i < count; i++) {
                    out.println("sequence " + i);
                    new ZipProgram(seed + i, out).write(file);
                }
            }
        } else {
            try (DataInputStream file = new DataInputStream(new BufferedInputStream(new FileInputStream(arguments[1])))) {
                for (int i = 0; i < count; i++) {
                    out.println("sequence " + i);
                    new ZipProgram(seed + i, out).read(file);
                }
            }
        }
        out.flush();
    }

    private static long crc(byte[] bytes, int length) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, length);
        return crc.getValue();
    }

    private static Method method(Class<?> type, String name, Class<?>... parameters) {
        try {
            return type.getMethod(name, parameters);
        } catch (NoSuchMethodException missing) {
            throw new IllegalStateException("this program needs Java 11", missing);
        }
    }

    private static final Method DEFLATER_INPUT = method(Deflater.class, "setInput", ByteBuffer.class);
    private static final Method DEFLATE = method(Deflater.class, "deflate", ByteBuffer.class, int.class);
    private static final Method DEFLATER_DICTIONARY = method(Deflater.class, "setDictionary", ByteBuffer.class);
    private static final Method INFLATER_INPUT = method(Inflater.class, "setInput", ByteBuffer.class);
    private static final Method INFLATE = method(Inflater.class, "inflate", ByteBuffer.class);
    private static final Method INFLATER_DICTIONARY = method(Inflater.class, "setDictionary", ByteBuffer.class);

    private static Object call(Method method, Object object, Object... arguments) throws DataFormatException {
        try {
            return method.invoke(object, arguments);
        } catch (java.lang.reflect.InvocationTargetException error) {
            if (error.getCause() instanceof DataFormatException) {
                throw (DataFormatException) error.getCause();
            }
            if (error.getCause() instanceof RuntimeException) {
                throw (RuntimeException) error.getCause();
            }
            throw (Error) error.getCause();
        } catch (IllegalAccessException error) {
            throw new IllegalStateException(error);
        }
    }

    private byte[] data() {
        int most = random.nextInt(10) == 0 ? 400000 : 1 << random.nextInt(16);
        return Samples.data(random.nextInt(5), random.nextInt(most + 1), random.nextLong());
    }

    private void write(DataOutputStream file) throws IOException, DataFormatException {
        boolean raw = random.nextBoolean();
        Deflater deflater = new Deflater(random.nextInt(11) - 1, raw);
        int rounds = random.nextInt(4) == 0 ? 12 : 1 + random.nextInt(2);
        for (int round = 0; round < rounds; round++) {
            byte[] dictionary = null;
            if (random.nextInt(6) == 0) {
                dictionary = Samples.data(0, 1 + random.nextInt(40000), random.nextLong());
                if (random.nextBoolean()) {
                    deflater.setDictionary(dictionary);
                } else {
                    // JDK 11.0.13 ignores an array's offset here; a test of the agent alone has
                    // one.
                    ByteBuffer heap = ByteBuffer.wrap(dictionary);
                    call(DEFLATER_DICTIONARY, deflater, random.nextBoolean() ? Samples.buffer(dictionary, true) : heap);
                }
                transcript.println("dictionary " + deflater.getAdler());
            }
            if (random.nextInt(5) == 0) {
                deflater.setStrategy(random.nextInt(3));
            }
            byte[] data = data();
            byte[] compressed = deflate(deflater, data, raw, dictionary);
            transcript.println("done " + deflater.getTotalIn() + " " + deflater.getBytesRead() + " " + deflater.needsInput() + " "
                    + deflater.finished() + " " + deflater.getAdler());
            if (deflater.getBytesWritten() != compressed.length || deflater.getTotalOut() != compressed.length) {
                transcript.println("wrong number of bytes");
            }
            byte[] none = new byte[10];
            transcript.println("after the end " + deflater.deflate(none) + " " + deflater.finished());
            file.writeBoolean(raw);
            file.writeInt(dictionary == null ? -1 : dictionary.length);
            if (dictionary != null) {
                file.write(dictionary);
            }
            file.writeInt(compressed.length);
            file.write(compressed);
            file.writeInt(data.length);
            file.writeLong(crc(data, data.length));
            file.writeBoolean(round + 1 < rounds);
            deflater.reset();
            transcript.println("reset " + deflater.getTotalIn() + " " + deflater.getTotalOut() + " " + deflater.finished() + " "
                    + deflater.getAdler());
        }
        deflater.setInput(new byte[9]);
        deflater.deflate(new byte[100], 0, 100, Deflater.SYNC_FLUSH);
        refused(() -> deflater.setDictionary(new byte[1]));
        refused(() -> deflater.deflate(new byte[1], 0, 2));
        refused(() -> deflater.deflate(new byte[1], 0, 1, 7));
        refused(() -> deflater.setLevel(10));
        refused(() -> deflater.setStrategy(3));
        deflater.end();
        deflater.end();
        refused(() -> deflater.setDictionary(new byte[1]));
        refused(() -> deflater.deflate(new byte[1]));
        refused(deflater::reset);
        refused(deflater::getAdler);
        refused(deflater::getBytesRead);
        try {
            new Deflater(10 + random.nextInt(5));
        } catch (RuntimeException expected) {
            transcript.println(expected);
        }
    }

    private interface Call {
        void run() throws DataFormatException;
    }

    /** Writes down the exception of a call, or that it has none. */
    private void refused(Call call) {
        try {
            call.run();
            transcript.println("accepted");
        } catch (DataFormatException | RuntimeException expected) {
            transcript.println("refused: " + expected);
        }
    }

    /** Checks that a flush wrote all: what is there decompresses to the data so far. */
    private void checkFlushed(byte[] compressed, byte[] data, int length, boolean raw, byte[] dictionary) {
        Inflater inflater = new Inflater(raw);
        byte[] back = new byte[length + 1];
        String result;
        try {
            if (raw && dictionary != null) {
                inflater.setDictionary(dictionary);
            }
            inflater.setInput(compressed);
            int n = inflater.inflate(back);
            if (inflater.needsDictionary()) {
                inflater.setDictionary(dictionary);
                n = inflater.inflate(back);
            }
            boolean isSame = n == length && Arrays.equals(Arrays.copyOf(back, n), Arrays.copyOf(data, n));
            result = isSame ? "flushed " + n : "wrong data after a flush: " + n + " bytes of " + length;
        } catch (DataFormatException | IllegalArgumentException damaged) {
            result = "wrong data after a flush: " + damaged + " of " + length;
        }
        inflater.end();
        transcript.println(result);
    }

    private byte[] deflate(Deflater deflater, byte[] data, boolean raw, byte[] dictionary) throws DataFormatException {
        // The number of calls differs between libraries, so what follows must not depend on it.
        Random random = new Random(this.random.nextLong());
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int at = 0;
        // A new level or strategy is set by the next call, which does not flush.
        byte[] start = new byte[100];
        all.write(start, 0, deflater.deflate(start));
        for (int i = random.nextInt(4) == 0 ? 1 + random.nextInt(4) : 0; i > 0; i--) {
            int piece = random.nextInt(Math.min(data.length - at, 1 << random.nextInt(17)) + 1);
            deflater.setInput(data, at, piece);
            at += piece;
            int flush = random.nextBoolean() ? Deflater.SYNC_FLUSH : Deflater.FULL_FLUSH;
            byte[] out = new byte[10 + random.nextInt(5000)];
            int n;
            do {
                n = deflater.deflate(out, 0, out.length, flush);
                all.write(out, 0, n);
            } while (n == out.length);
            transcript.println("flush " + deflater.getTotalIn() + " " + deflater.needsInput() + " " + deflater.getAdler());
            checkFlushed(all.toByteArray(), data, at, raw, dictionary);
        }
        boolean oneCall = random.nextInt(3) == 0;
        while (!deflater.finished()) {
            if (deflater.needsInput() && at < data.length) {
                int piece = Math.min(data.length - at, oneCall ? data.length : random.nextInt(60000));
                if (random.nextInt(3) == 0) {
                    call(DEFLATER_INPUT, deflater, Samples.buffer(Arrays.copyOfRange(data, at, at + piece), random.nextBoolean()));
                } else {
                    byte[] copy = new byte[piece + 5];
                    System.arraycopy(data, at, copy, 3, piece);
                    deflater.setInput(copy, 3, piece);
                }
                at += piece;
                if (random.nextInt(12) == 0) {
                    deflater.setLevel(random.nextInt(10));
                }
                if (random.nextInt(20) == 0) {
                    deflater.setStrategy(random.nextInt(3));
                }
            }
            if (at == data.length) {
                deflater.finish();
            }
            int flush = new int[] {Deflater.NO_FLUSH, Deflater.NO_FLUSH, Deflater.SYNC_FLUSH, Deflater.FULL_FLUSH}[random.nextInt(4)];
            int capacity = oneCall ? data.length + 1000 : 1 + random.nextInt(random.nextInt(5) == 0 ? 100000 : 3000);
            byte[] out = new byte[capacity + 4];
            Arrays.fill(out, (byte) 0x5a);
            int n;
            if (random.nextInt(3) == 0) {
                ByteBuffer target = Samples.buffer(new byte[capacity], random.nextBoolean());
                n = (int) call(DEFLATE, deflater, target, flush);
                byte[] written = Samples.written(target);
                if (written.length != n) {
                    transcript.println("wrong position");
                }
                System.arraycopy(written, 0, out, 2, n);
            } else {
                n = deflater.deflate(out, 2, capacity, flush);
                for (int i = n + 2; i < out.length; i++) {
                    if (out[i] != 0x5a) {
                        transcript.println("written past its result");
                        break;
                    }
                }
            }
            all.write(out, 2, n);
        }
        return all.toByteArray();
    }

    private void read(DataInputStream file) throws IOException {
        boolean more = true;
        while (more) {
            boolean raw = file.readBoolean();
            int dictionaryLength = file.readInt();
            byte[] dictionary = null;
            if (dictionaryLength >= 0) {
                dictionary = new byte[dictionaryLength];
                file.readFully(dictionary);
            }
            byte[] compressed = new byte[file.readInt()];
            file.readFully(compressed);
            int length = file.readInt();
            long crc = file.readLong();
            more = file.readBoolean();
            Inflater inflater = new Inflater(raw);
            if (random.nextInt(8) == 0) {
                loop(compressed, dictionary, raw);
            }
            byte[] data = inflate(inflater, compressed, dictionary, raw, false);
            inflateExactly(compressed, dictionary, raw, length);
            if (data.length != length || crc(data, length) != crc) {
                transcript.println("wrong data: " + data.length + " bytes of " + length);
            }
            inflater.reset();
            transcript.println("reset " + inflater.getTotalIn() + " " + inflater.getTotalOut() + " " + inflater.getRemaining() + " "
                    + inflater.getAdler());
            if (random.nextBoolean()) {
                byte[] damaged = random.nextBoolean() ? compressed.clone() : Arrays.copyOf(compressed, random.nextInt(compressed.length + 1));
                for (int i = random.nextInt(4); i > 0 && damaged.length > 0; i--) {
                    damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
                }
                inflate(inflater, damaged, dictionary, raw, true);
            }
            if (dictionary == null) {
                refused(() -> inflater.setDictionary(new byte[0]));
            }
            refused(() -> inflater.inflate(new byte[1], 1, 1 + random.nextInt(9)));
            inflater.end();
            inflater.end();
            refused(() -> inflater.inflate(new byte[1]));
            refused(() -> inflater.setDictionary(new byte[1]));
            refused(inflater::reset);
            refused(inflater::getAdler);
            refused(inflater::getTotalOut);
        }
    }

    /** Decompresses until no input remains, as some programs do, with pieces that end anywhere. */
    private void loop(byte[] compressed, byte[] dictionary, boolean raw) {
        Inflater inflater = new Inflater(raw);
        byte[] out = new byte[1 + random.nextInt(10000)];
        int piece = 1 + random.nextInt(5000);
        CRC32 crc = new CRC32();
        try {
            if (raw && dictionary != null) {
                inflater.setDictionary(dictionary);
            }
            for (int at = 0; at < compressed.length; at += piece) {
                inflater.setInput(compressed, at, Math.min(piece, compressed.length - at));
                while (!inflater.needsInput() && !inflater.finished()) {
                    crc.update(out, 0, inflater.inflate(out));
                    if (inflater.needsDictionary()) {
                        inflater.setDictionary(dictionary);
                    }
                }
            }
        } catch (DataFormatException | IllegalArgumentException error) {
            transcript.println("loop " + error.getMessage());
        }
        transcript.println("loop " + inflater.getBytesWritten() + " " + crc.getValue() + " " + inflater.finished());
        inflater.end();
    }

    /**
     * Decompresses to a target that fits exactly: the end of a stream may be in input behind its
     * last byte.
     */
    private void inflateExactly(byte[] compressed, byte[] dictionary, boolean raw, int length) {
        if (dictionary != null) {
            return;
        }
        Inflater inflater = new Inflater(raw);
        inflater.setInput(compressed);
        try {
            int n = inflater.inflate(new byte[Math.max(1, length)]);
            transcript.println("exactly " + n + " " + inflater.finished());
        } catch (DataFormatException error) {
            transcript.println("exactly " + error.getMessage());
        }
        inflater.end();
    }

    private byte[] inflate(Inflater inflater, byte[] compressed, byte[] dictionary, boolean raw, boolean isDamaged) {
        Random random = new Random(this.random.nextLong());
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        int at = 0;
        int idle = 0;
        boolean isFull = false;
        boolean oneCall = random.nextInt(3) == 0;
        int most = oneCall ? 1 << 20 : random.nextInt(4) == 0 ? 100000 : 1 + random.nextInt(3000);
        if (raw && dictionary != null) {
            inflater.setDictionary(dictionary);
        }
        while (!inflater.finished() && idle < 3) {
            // All input is used where the output was not filled.
            boolean isRefilled = !isFull && at < compressed.length;
            if (isRefilled) {
                if (inflater.getRemaining() > 0) {
                    transcript.println("unread " + inflater.getRemaining());
                    at -= inflater.getRemaining();
                }
                int piece = Math.min(compressed.length - at, oneCall ? compressed.length : 1 + random.nextInt(20000));
                if (isDamaged && !raw && inflater.getBytesRead() == 0) {
                    // In a stream that is complete in its first call, Pelton takes the length codes
                    // that do not exist for the longest match. If the checksum then says that the
                    // data is right, there is no error, so there is no such call here.
                    piece = Math.min(piece, 1);
                }
                try {
                    if (random.nextInt(3) == 0) {
                        call(INFLATER_INPUT, inflater, Samples.buffer(Arrays.copyOfRange(compressed, at, at + piece), random.nextBoolean()));
                    } else {
                        inflater.setInput(compressed, at, piece);
                    }
                } catch (DataFormatException impossible) {
                    throw new IllegalStateException(impossible);
                }
                at += piece;
            }
            int capacity = 1 + random.nextInt(most);
            byte[] out = new byte[capacity + 4];
            Arrays.fill(out, (byte) 0x5a);
            int n;
            try {
                if (random.nextInt(3) == 0) {
                    ByteBuffer target = Samples.buffer(new byte[capacity], random.nextBoolean());
                    n = (int) call(INFLATE, inflater, target);
                    System.arraycopy(Samples.written(target), 0, out, 2, n);
                } else {
                    n = inflater.inflate(out, 2, capacity);
                    for (int i = n + 2; i < out.length; i++) {
                        if (out[i] != 0x5a) {
                            transcript.println("written past its result");
                            break;
                        }
                    }
                }
            } catch (DataFormatException error) {
                transcript.println(error.getMessage() + " after " + inflater.getTotalOut() + " " + inflater.getTotalIn() + " "
                        + inflater.getRemaining() + " " + inflater.getAdler());
                break;
            }
            all.write(out, 2, n);
            if (at != inflater.getBytesRead() + inflater.getRemaining()) {
                transcript.println("bytes were lost");
            }
            isFull = n == capacity;
            if (inflater.needsInput() != (inflater.getRemaining() == 0)) {
                transcript.println("wrong needsInput");
            }
            boolean isExact = inflater.finished() || inflater.needsDictionary() || !isFull;
            transcript.println(n + " " + inflater.getBytesWritten() + " " + inflater.finished() + " " + inflater.needsDictionary()
                    + " " + inflater.getAdler() + (isExact ? " " : " read=") + inflater.getBytesRead());
            if (inflater.needsDictionary()) {
                try {
                    boolean isWrong = dictionary == null || idle == 0 && random.nextInt(10) == 0;
                    byte[] wanted = isWrong ? new byte[3] : dictionary;
                    if (random.nextBoolean()) {
                        inflater.setDictionary(wanted);
                    } else {
                        call(INFLATER_DICTIONARY, inflater, Samples.buffer(wanted, random.nextBoolean()));
                    }
                    transcript.println("dictionary " + inflater.getAdler());
                } catch (IllegalArgumentException wrong) {
                    transcript.println("wrong dictionary");
                    if (dictionary == null) {
                        break;
                    }
                } catch (DataFormatException impossible) {
                    throw new IllegalStateException(impossible);
                }
            }
            idle = n == 0 && !isRefilled ? idle + 1 : 0;
        }
        return all.toByteArray();
    }
}
