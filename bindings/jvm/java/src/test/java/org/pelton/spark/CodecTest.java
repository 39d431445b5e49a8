package org.pelton.spark;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.Arrays;
import java.util.Random;
import org.apache.spark.SparkConf;
import org.apache.spark.io.CompressionCodec;
import org.junit.jupiter.api.Test;
import org.pelton.Samples;

/** {@link PeltonCompressionCodec} without a session. */
class CodecTest {
    private static byte[] read(PeltonCompressionCodec codec, byte[] compressed) throws IOException {
        return Samples.readAll(codec.compressedInputStream(new ByteArrayInputStream(compressed)), new Random(1), 9000);
    }

    @Test
    void aSettingThatIsWrongIsNamed() {
        for (String[] wrong : new String[][] {{"level", "10"}, {"blockSize", "100b"}, {"blockSize", "5g"}}) {
            String name = "spark.io.compression.pelton." + wrong[0];
            IllegalArgumentException error = assertThrows(
                    IllegalArgumentException.class,
                    () -> new PeltonCompressionCodec(new SparkConf(false).set(name, wrong[1])));
            assertTrue(error.getMessage().contains(name), error.getMessage());
        }
    }

    @Test
    void badStreamsAreErrors() throws Exception {
        PeltonCompressionCodec codec = new PeltonCompressionCodec(new SparkConf(false));
        byte[] data = Samples.data(0, 300000, 1);
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        OutputStream out = codec.compressedOutputStream(to);
        out.write(data, 0, 1000);
        assertEquals(0, to.size(), "nothing is compressed before a block is full");
        out.write(data, 1000, data.length - 1000);
        out.close();
        out.close();
        assertThrows(IOException.class, () -> out.write(1));
        byte[] compressed = to.toByteArray();
        Random random = new Random(4);
        int refused = 0;
        for (int round = 0; round < 30; round++) {
            byte[] broken = compressed.clone();
            broken[20 + random.nextInt(broken.length - 20)] ^= 1 << random.nextInt(8);
            try {
                assertArrayEquals(data, read(codec, broken));
            } catch (IOException expected) {
                refused++;
            }
            int cut = 1 + random.nextInt(100);
            for (byte[] bad : new byte[][] {Arrays.copyOf(compressed, compressed.length - cut),
                    Arrays.copyOf(compressed, compressed.length + cut)}) {
                assertThrows(IOException.class, () -> read(codec, bad));
            }
        }
        assertTrue(refused > 25, "few bits of a header have no meaning, and " + refused + " of 30 were seen");
        assertEquals(-1, codec.compressedInputStream(new ByteArrayInputStream(new byte[0])).read());
    }

    @Test
    void outputsOfTheCodecMayFollowOneAnother() throws Exception {
        PeltonCompressionCodec codec = new PeltonCompressionCodec(new SparkConf(false));
        byte[] data = Samples.data(0, 300000, 1);
        ByteArrayOutputStream first = new ByteArrayOutputStream();
        try (OutputStream out = codec.compressedOutputStream(first)) {
            out.write(data);
        }
        ByteArrayOutputStream none = new ByteArrayOutputStream();
        codec.compressedOutputStream(none).close();
        ByteArrayOutputStream continuous = new ByteArrayOutputStream();
        OutputStream out = codec.compressedContinuousOutputStream(continuous);
        out.write(data, 0, 1000);
        out.flush();
        assertArrayEquals(
                Arrays.copyOf(data, 1000),
                Samples.readAll(
                        codec.compressedContinuousInputStream(new ByteArrayInputStream(continuous.toByteArray())),
                        new Random(1),
                        500));
        byte[] both = Samples.readAll(
                codec.compressedInputStream(new SequenceInputStream(
                        new SequenceInputStream(new ByteArrayInputStream(first.toByteArray()),
                                new ByteArrayInputStream(none.toByteArray())),
                        new ByteArrayInputStream(first.toByteArray()))),
                new Random(1), 50000);
        assertArrayEquals(data, Arrays.copyOf(both, data.length));
        assertArrayEquals(data, Arrays.copyOfRange(both, data.length, both.length));
        Class<?> companion = Class.forName("org.apache.spark.io.CompressionCodec$");
        boolean concatenates = (boolean) companion
                .getMethod("supportsConcatenationOfSerializedStreams", CompressionCodec.class)
                .invoke(companion.getField("MODULE$").get(null), codec);
        assertTrue(concatenates, "Spark merges and fetches several outputs at once");
    }
}
