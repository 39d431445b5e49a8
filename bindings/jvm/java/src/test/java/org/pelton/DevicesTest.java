package org.pelton;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Blocks on the model of an accelerator, in a virtual machine of its own; counters show who did
 * them.
 */
class DevicesTest {
    /** Compresses and decompresses blocks, one by one and as a batch, and prints the counters. */
    public static void main(String[] arguments) throws Exception {
        for (Format format : Format.values()) {
            int count = 40;
            byte[][] data = new byte[count][];
            ByteBuffer[] sources = new ByteBuffer[count];
            ByteBuffer[] targets = new ByteBuffer[count];
            ByteBuffer[] backs = new ByteBuffer[count];
            for (int i = 0; i < count; i++) {
                data[i] = Samples.data(i % 5, 4096, i);
                sources[i] = Samples.buffer(data[i], i % 2 == 0);
                targets[i] = Samples.buffer(new byte[Deflate.maxCompressedLength(4096) + 100], i % 3 == 0);
                backs[i] = Samples.buffer(new byte[4096], i % 2 == 1);
            }
            new Deflate(format, 6).compressAll(sources, targets);
            for (ByteBuffer target : targets) {
                ((java.nio.Buffer) target).flip();
            }
            new Inflate(format).decompressAll(targets, backs);
            for (int i = 0; i < count; i++) {
                if (!Arrays.equals(data[i], Samples.written(backs[i])) || targets[i].hasRemaining()) {
                    throw new AssertionError("other data");
                }
                byte[] block = new Deflate(format, 6).compress(data[i]);
                byte[] back = new byte[4096];
                if (new Inflate(format).decompress(block, 0, block.length, back, 0, 4096) != 4096 || !Arrays.equals(data[i], back)) {
                    throw new AssertionError("other data");
                }
            }
        }
        System.out.print(Pelton.statistics());
    }

    private static String run(Path folder, String devices) throws Exception {
        String classes = new File(Pelton.class.getProtectionDomain().getCodeSource().getLocation().getPath()).getPath();
        String tests = new File(DevicesTest.class.getProtectionDomain().getCodeSource().getLocation().getPath()).getPath();
        Path out = folder.resolve("out");
        Process process = new ProcessBuilder(
                        Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "-Dpelton.devices=" + devices,
                        "-Dpelton.stats=" + folder.resolve("stats"), "-cp", classes + File.pathSeparator + tests, "org.pelton.DevicesTest")
                .redirectErrorStream(true).redirectOutput(out.toFile()).start();
        assertTrue(process.waitFor(2, TimeUnit.MINUTES));
        String text = new String(Files.readAllBytes(out), StandardCharsets.UTF_8);
        assertEquals(0, process.exitValue(), text);
        return text;
    }

    /** Returns the jobs that a device has done, by the line of the counters. */
    private static long done(String text, String device, String operation, String format) {
        for (String line : text.split("\n")) {
            String[] fields = line.trim().split(" +");
            if (fields.length > 4 && fields[0].equals(device) && fields[1].equals(operation) && fields[2].equals(format)) {
                return Long.parseLong(fields[4]);
            }
        }
        return 0;
    }

    @Test
    void blocksGoToTheDeviceThatIsNamed(@TempDir Path folder) throws Exception {
        String text = run(folder, "iaa-model");
        for (String format : new String[] {"zlib", "gzip"}) {
            assertTrue(done(text, "iaa-model", "compress", format) >= 40, text);
        }
        // Raw blocks of a batch, and each single block.
        assertTrue(done(text, "iaa-model", "compress", "deflate") >= 4 * 40, text);
        assertTrue(done(text, "iaa-model", "decompress", "deflate") > 40, text);
    }

    @Test
    void aDeviceThatFailsLosesNoBlock(@TempDir Path folder) throws Exception {
        String text = run(folder, "iaa-model:fault-every=7");
        assertTrue(done(text, "iaa-model", "compress", "deflate") > 0, text);
        assertTrue(text.contains("faults injected") && !text.contains(" 0 faults injected"), text);
    }
}
