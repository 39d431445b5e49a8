import java.io.BufferedInputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;
import java.util.zip.DeflaterInputStream;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.InflaterInputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Files: gzip with one member, two members and flushes, zip with entries of each method, and a
 * stream that compresses as it is read.
 */
record Files(File folder, Samples sample, boolean write) {
    int run() throws Exception {
        gzip(new File(folder, sample.name() + ".gz"));
        zip(new File(folder, sample.name() + ".zip"));
        read(new File(folder, sample.name() + ".zlib"));
        return 3;
    }

    private void gzip(File file) throws Exception {
        int half = sample.bytes().length / 2;
        if (!write) {
            try (InputStream in = new GZIPInputStream(new FileInputStream(file))) {
                sample.check(in.readAllBytes(), file.getName());
            }
            return;
        }
        try (OutputStream whole = new FileOutputStream(file)) {
            GZIPOutputStream first = new GZIPOutputStream(whole, 512, true);
            first.write(sample.bytes(), 0, half);
            first.flush();
            first.finish();
            GZIPOutputStream second = new GZIPOutputStream(whole);
            for (int at = half; at < sample.bytes().length; at += 999)
                second.write(sample.bytes(), at, Math.min(999, sample.bytes().length - at));
            second.finish();
        }
    }

    private void zip(File file) throws Exception {
        if (!write) {
            try (ZipFile zip = new ZipFile(file); ZipInputStream in = new ZipInputStream(new FileInputStream(file))) {
                for (int level = 0; level <= 9; level += 3) {
                    ZipEntry entry = zip.getEntry("level " + level);
                    sample.check(zip.getInputStream(entry).readAllBytes(), file.getName() + " " + entry);
                    if (!in.getNextEntry().getName().equals(entry.getName())) throw new AssertionError("order");
                    sample.check(in.readAllBytes(), file.getName() + " in order");
                }
            }
            return;
        }
        try (ZipOutputStream out = new ZipOutputStream(new FileOutputStream(file))) {
            for (int level = 0; level <= 9; level += 3) {
                out.setLevel(level);
                out.putNextEntry(new ZipEntry("level " + level));
                out.write(sample.bytes());
                out.closeEntry();
            }
        }
    }

    private void read(File file) throws Exception {
        if (write) {
            try (InputStream in = new DeflaterInputStream(new java.io.ByteArrayInputStream(sample.bytes()));
                OutputStream out = new FileOutputStream(file)) {
                in.transferTo(out);
            }
            return;
        }
        CRC32 expected = new CRC32();
        expected.update(sample.bytes());
        InputStream plain = new InflaterInputStream(new BufferedInputStream(new FileInputStream(file)));
        try (CheckedInputStream in = new CheckedInputStream(plain, new CRC32())) {
            sample.check(in.readAllBytes(), file.getName());
            if (in.getChecksum().getValue() != expected.getValue()) throw new AssertionError("checksum");
        }
    }
}
