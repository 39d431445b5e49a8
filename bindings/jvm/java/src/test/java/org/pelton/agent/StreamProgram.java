package org.pelton.agent;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Collections;
import java.util.Random;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.CRC32;
import java.util.zip.Deflater;
import java.util.zip.DeflaterInputStream;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.Inflater;
import java.util.zip.InflaterOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.pelton.Samples;

/**
 * Streams and archives of the JDK on Deflater and Inflater: {@code StreamProgram write|read
 * FOLDER}.
 *
 * <p>Both print a checksum of each stream's data. A test compares them for files written and read
 * with and without the agent.
 */
public final class StreamProgram {
    private static final int COUNT = 12;

    private final Path folder;
    private final PrintStream out;

    private StreamProgram(Path folder, PrintStream out) {
        this.folder = folder;
        this.out = out;
    }

    /** Runs one of the two. */
    public static void main(String[] arguments) throws Exception {
        StreamProgram program = new StreamProgram(Paths.get(arguments[1]), System.out);
        if (arguments[0].equals("write")) {
            program.write();
        } else {
            program.read();
        }
    }

    private static byte[] data(int index) {
        return Samples.data(index % 5, index == 5 ? 0 : 1 << 2 + index, index);
    }

    private void print(String name, byte[] data) {
        CRC32 crc = new CRC32();
        crc.update(data, 0, data.length);
        out.println(name + " " + data.length + " " + crc.getValue());
    }

    /** Writes in pieces of random lengths, single bytes among them, and flushes between some. */
    private static void writePieces(OutputStream to, byte[] data, Random random) throws IOException {
        for (int at = 0; at < data.length; ) {
            int piece = Math.min(data.length - at, 1 << random.nextInt(14));
            if (piece == 1) {
                to.write(data[at]);
            } else {
                to.write(data, at, piece);
            }
            at += piece;
            if (random.nextInt(10) == 0) {
                to.flush();
            }
        }
    }

    private void write() throws IOException {
        Random random = new Random(1);
        for (int i = 0; i < COUNT; i++) {
            byte[] data = data(i);
            try (OutputStream file = Files.newOutputStream(folder.resolve(i + ".gz"))) {
                // Two members: the second by another buffer, and with flushes that compress all
                // before them.
                GZIPOutputStream first = new GZIPOutputStream(file, 64);
                writePieces(first, data, random);
                first.finish();
                OutputStream second = new GZIPOutputStream(file, 8192, true);
                writePieces(second, data, random);
                second.close();
            }
            print(i + ".gz", concat(data, data));
            Deflater deflater = new Deflater(1 + random.nextInt(9), true);
            try (OutputStream to = new DeflaterOutputStream(Files.newOutputStream(folder.resolve(i + ".raw")), deflater, 100, true)) {
                writePieces(to, data, random);
            }
            deflater.end();
            print(i + ".raw", data);
            try (InputStream from = new DeflaterInputStream(new ByteArrayInputStream(data))) {
                Files.write(folder.resolve(i + ".z"), Samples.readAll(from, random, 5000));
            }
            print(i + ".z", data);
        }
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(folder.resolve("all.zip")))) {
            for (int i = 0; i < COUNT; i++) {
                zip.setLevel(random.nextInt(10));
                zip.putNextEntry(new ZipEntry(i + ".txt"));
                writePieces(zip, data(i), random);
                zip.closeEntry();
            }
        }
        for (int i = 0; i < COUNT; i++) {
            print(i + ".txt", data(i));
        }
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().putValue("Sample", String.join("", Collections.nCopies(500, "value")));
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(folder.resolve("all.jar")), manifest)) {
            jar.putNextEntry(new JarEntry("data"));
            jar.write(data(COUNT));
            jar.closeEntry();
        }
        print("data of 2500", data(COUNT));
    }

    private void read() throws IOException {
        Random random = new Random(2);
        for (int i = 0; i < COUNT; i++) {
            try (InputStream file = Files.newInputStream(folder.resolve(i + ".gz"));
                    InputStream from = new GZIPInputStream(file, 1 + random.nextInt(10000))) {
                print(i + ".gz", Samples.readAll(from, random, 1 << random.nextInt(15)));
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            Inflater inflater = new Inflater(true);
            try (OutputStream to = new InflaterOutputStream(all, inflater, 1 + random.nextInt(3000))) {
                writePieces(to, Files.readAllBytes(folder.resolve(i + ".raw")), random);
            }
            inflater.end();
            print(i + ".raw", all.toByteArray());
            all.reset();
            try (OutputStream to = new InflaterOutputStream(all)) {
                writePieces(to, Files.readAllBytes(folder.resolve(i + ".z")), random);
            }
            print(i + ".z", all.toByteArray());
        }
        try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(folder.resolve("all.zip")));
                JarFile file = new JarFile(folder.resolve("all.zip").toFile())) {
            for (ZipEntry entry; (entry = zip.getNextEntry()) != null; ) {
                byte[] data = Samples.readAll(zip, random, 1000);
                try (InputStream from = file.getInputStream(file.getEntry(entry.getName()))) {
                    if (!java.util.Arrays.equals(data, Samples.readAll(from, random, 9000))) {
                        out.println("other data in " + entry.getName());
                    }
                }
                print(entry.getName(), data);
            }
        }
        try (JarFile jar = new JarFile(folder.resolve("all.jar").toFile());
                InputStream from = jar.getInputStream(jar.getEntry("data"))) {
            int length = jar.getManifest().getMainAttributes().getValue("Sample").length();
            print("data of " + length, Samples.readAll(from, random, 100));
        }
    }

    private static byte[] concat(byte[] first, byte[] second) {
        byte[] both = java.util.Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }
}
