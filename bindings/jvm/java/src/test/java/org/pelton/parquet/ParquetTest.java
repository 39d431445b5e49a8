package org.pelton.parquet;

import static org.apache.parquet.hadoop.metadata.CompressionCodecName.GZIP;
import static org.apache.parquet.hadoop.metadata.CompressionCodecName.LZ4_RAW;
import static org.apache.parquet.hadoop.metadata.CompressionCodecName.SNAPPY;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.GZIPOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.bytes.DirectByteBufferAllocator;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.CodecFactory;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pelton.Deflate;
import org.pelton.Format;
import org.pelton.Lz4;
import org.pelton.Pelton;
import org.pelton.Samples;

/** Parquet files with and without {@link PeltonParquet}, and {@link PeltonCodecFactory}. */
class ParquetTest {
    static final MessageType SCHEMA = MessageTypeParser.parseMessageType(
            "message row { required int64 id; optional double price; required binary name (UTF8); }");

    @AfterEach
    void uninstall() {
        PeltonParquet.uninstall();
    }

    /** Returns the pages that were compressed and decompressed here up to now. */
    private static long pages() {
        return PeltonParquet.compressedPages() + PeltonParquet.decompressedPages();
    }

    static void write(Path file, Configuration conf, CompressionCodecName codec, int rows) throws IOException {
        SimpleGroupFactory groups = new SimpleGroupFactory(SCHEMA);
        Random random = new Random(1);
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new org.apache.hadoop.fs.Path(file.toUri()))
                .withType(SCHEMA).withConf(conf).withCompressionCodec(codec).build()) {
            for (int i = 0; i < rows; i++) {
                Group group = groups.newGroup().append("id", (long) i);
                if (i % 3 > 0) {
                    group.append("price", random.nextInt(10000) / 100.0);
                }
                writer.write(group.append("name", "name " + random.nextInt(500000)));
            }
        }
    }

    static int check(Path file, int rows) throws IOException {
        Random random = new Random(1);
        try (ParquetReader<Group> reader =
                ParquetReader.builder(new GroupReadSupport(), new org.apache.hadoop.fs.Path(file.toUri())).build()) {
            for (int i = 0; i < rows; i++) {
                Group group = reader.read();
                assertEquals(i, group.getLong("id", 0));
                assertEquals(i % 3 > 0 ? 1 : 0, group.getFieldRepetitionCount("price"));
                if (i % 3 > 0) {
                    assertEquals(random.nextInt(10000) / 100.0, group.getDouble("price", 0));
                }
                assertEquals("name " + random.nextInt(500000), group.getString("name", 0));
            }
            assertNull(reader.read());
        }
        return rows;
    }

    @Test
    void filesAreTheSameForParquetsOwnGzip(@TempDir Path folder) throws Exception {
        int rows = 100000;
        for (String level : new String[] {null, "BEST_SPEED", "BEST_COMPRESSION"}) {
            Configuration conf = new Configuration();
            if (level != null) {
                conf.set("zlib.compress.level", level);
            }
            Path ours = folder.resolve("ours" + level);
            Path theirs = folder.resolve("theirs" + level);
            long before = PeltonParquet.compressedPages();
            assertNull(PeltonParquet.install());
            write(ours, conf, GZIP, rows);
            long written = PeltonParquet.compressedPages() - before;
            assertTrue(written > 3, written + " pages were compressed here");
            PeltonParquet.uninstall();
            before = pages();
            check(ours, rows);
            write(theirs, conf, GZIP, rows);
            assertEquals(before, pages());
            assertNull(PeltonParquet.install());
            before = PeltonParquet.decompressedPages();
            check(theirs, rows);
            check(ours, rows);
            assertTrue(PeltonParquet.decompressedPages() - before > 6);
            PeltonParquet.uninstall();
            assertTrue(Files.size(ours) < Files.size(theirs) * 1.05, Files.size(ours) + " and " + Files.size(theirs));
        }
    }

    @Test
    void filesAreTheSameForParquetsOwnLz4AndSnappy(@TempDir Path folder) throws Exception {
        int rows = 100000;
        for (CompressionCodecName codec : new CompressionCodecName[] {LZ4_RAW, SNAPPY}) {
            Path ours = folder.resolve("ours" + codec);
            Path theirs = folder.resolve("theirs" + codec);
            long before = PeltonParquet.compressedPages();
            assertNull(PeltonParquet.install());
            write(ours, new Configuration(), codec, rows);
            long written = PeltonParquet.compressedPages() - before;
            // Without the library both codecs are Parquet's, which always compresses Snappy.
            assertEquals(codec == LZ4_RAW && Pelton.isAvailable(), written > 3, written + " pages of " + codec);
            PeltonParquet.uninstall();
            before = pages();
            check(ours, rows);
            write(theirs, new Configuration(), codec, rows);
            assertEquals(before, pages());
            assertNull(PeltonParquet.install());
            check(theirs, rows);
            check(ours, rows);
            assertEquals(Pelton.isAvailable(), pages() - before > 6, pages() - before + " pages of " + codec);
            PeltonParquet.uninstall();
            assertTrue(Files.size(ours) < Files.size(theirs) * 1.05, Files.size(ours) + " and " + Files.size(theirs));
        }
    }

    @Test
    void pagesOfTheFactoryAreThoseOfParquet() throws Exception {
        Configuration conf = new Configuration();
        CompressionCodecFactory ours = new PeltonCodecFactory(conf, 6);
        CompressionCodecFactory theirs = new CodecFactory(conf, 1 << 20);
        for (CompressionCodecName codec : new CompressionCodecName[] {
            GZIP, LZ4_RAW, SNAPPY, CompressionCodecName.ZSTD, CompressionCodecName.UNCOMPRESSED
        }) {
            for (int length : new int[] {1, 1000, 100000, 2000000}) {
                byte[] page = Samples.data(length % 5, length, 1);
                CompressionCodecFactory[] both = {ours, theirs};
                for (CompressionCodecFactory writer : both) {
                    byte[] compressed = writer.getCompressor(codec).compress(BytesInput.from(page)).toByteArray();
                    for (CompressionCodecFactory reader : both) {
                        BytesInput back = reader.getDecompressor(codec).decompress(BytesInput.from(compressed), length);
                        assertArrayEquals(page, back.toByteArray());
                    }
                    for (boolean direct : new boolean[] {false, true}) {
                        if (isServed(codec)) {
                            ByteBuffer input = Samples.buffer(compressed, direct);
                            ByteBuffer output = Samples.buffer(new byte[length], direct);
                            ours.getDecompressor(codec).decompress(input, compressed.length, output, length);
                            assertArrayEquals(page, Samples.written(output));
                        }
                    }
                }
            }
        }
        ours.release();
    }

    private static boolean isServed(CompressionCodecName codec) {
        return codec == GZIP || (codec == LZ4_RAW || codec == SNAPPY) && Pelton.isAvailable();
    }

    @Test
    void theTableServesDirectBuffers() throws Exception {
        theTableServesDirectBuffers(GZIP, 12);
        if (Pelton.isAvailable()) {
            theTableServesDirectBuffers(LZ4_RAW, 12);
            // Parquet has a way of its own for Snappy in direct buffers.
            theTableServesDirectBuffers(SNAPPY, 4);
        }
    }

    private static void theTableServesDirectBuffers(CompressionCodecName codec, int pages) throws Exception {
        assertNull(PeltonParquet.install());
        CodecFactory factory =
                CodecFactory.createDirectCodecFactory(new Configuration(), new DirectByteBufferAllocator(), 1 << 20);
        long before = pages();
        for (int length : new int[] {1, 1000, 100000, 2000000}) {
            byte[] page = Samples.data(length % 5, length, 1);
            byte[] compressed = factory.getCompressor(codec).compress(BytesInput.from(page)).toByteArray();
            CompressionCodecFactory.BytesInputDecompressor decompressor = factory.getDecompressor(codec);
            assertArrayEquals(page, decompressor.decompress(BytesInput.from(compressed), length).toByteArray());
            ByteBuffer input = ByteBuffer.allocateDirect(compressed.length);
            input.put(compressed).flip();
            ByteBuffer output = ByteBuffer.allocateDirect(length);
            decompressor.decompress(input, compressed.length, output, length);
            byte[] back = new byte[length];
            ((java.nio.Buffer) output).position(0);
            output.get(back);
            assertArrayEquals(page, back);
        }
        assertEquals(pages, pages() - before);
        factory.release();
    }

    @Test
    void aColumnMayHaveItsLevel() throws Exception {
        PeltonCodecFactory factory = new PeltonCodecFactory(new Configuration(), 6);
        byte[] page = Samples.data(0, 200000, 1);
        long before = -1;
        for (int level : new int[] {9, 1, 0}) {
            BytesInput compressed = factory.getCompressor(GZIP, level).compress(BytesInput.from(page));
            assertTrue(compressed.size() > before, "level " + level);
            before = compressed.size();
            assertArrayEquals(page, factory.getDecompressor(GZIP).decompress(compressed, page.length).toByteArray());
        }
        assertEquals(SNAPPY, factory.getCompressor(SNAPPY, 3).getCodecName());
        // LZ4 has no levels.
        assertEquals(LZ4_RAW, factory.getCompressor(LZ4_RAW, 3).getCodecName());
        assertThrows(IllegalArgumentException.class, () -> factory.getCompressor(GZIP, 10));
        factory.release();
    }

    @Test
    void pagesOfZerosAreRead() throws Exception {
        // Beyond the ratio and the size up to which a page's claim is believed.
        byte[] page = new byte[20 << 20];
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(to)) {
            gzip.write(page);
        }
        assertArrayEquals(page, Pages.decompress(PageFormat.GZIP, to.toByteArray(), page.length));
    }

    @Test
    void aDecompressorIsEmptyWhenItIsReset() throws Exception {
        byte[] page = Samples.data(0, 100000, 1);
        byte[] compressed = new Deflate(Format.GZIP, 1).compress(page);
        PageDecompressor decompressor = new PageDecompressor(PageFormat.GZIP);
        assertTrue(decompressor.needsInput() && !decompressor.finished());
        assertEquals(0, decompressor.decompress(new byte[1], 0, 1));
        assertThrows(ArrayIndexOutOfBoundsException.class,
                () -> decompressor.setInput(compressed, 1, compressed.length));
        decompressor.setInput(compressed, 0, compressed.length);
        byte[] back = new byte[page.length];
        for (int at = 0; !decompressor.finished(); ) {
            at += decompressor.decompress(back, at, Math.min(7777, back.length - at));
        }
        assertArrayEquals(page, back);
        decompressor.setInput(compressed, 0, 3);
        assertThrows(IOException.class, () -> decompressor.decompress(new byte[10], 0, 10));
        decompressor.end();
        decompressor.end();
        assertEquals(0, decompressor.getRemaining());
        assertTrue(decompressor.needsInput());
    }

    /** Class loader with a {@code CodecFactory} of another Parquet before those of this one. */
    private static final class OtherParquet extends URLClassLoader {
        OtherParquet(Path folder, String member) throws Exception {
            super(new URL[] {folder.toUri().toURL(),
                    PeltonParquet.class.getProtectionDomain().getCodeSource().getLocation()});
            Path source =
                    Files.createDirectories(folder.resolve("org/apache/parquet/hadoop")).resolve("CodecFactory.java");
            String text = "package org.apache.parquet.hadoop; public class CodecFactory { " + member
                    + " public CodecFactory(org.apache.hadoop.conf.Configuration conf, int size) {} }";
            Files.write(source, text.getBytes("US-ASCII"));
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            assumeTrue(compiler != null, "skipped: this Java has no compiler");
            assertEquals(0, compiler.run(null, null, null, "-cp", System.getProperty("java.class.path"),
                    source.toString()));
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean own = name.startsWith("org.pelton.parquet.")
                    || name.equals("org.apache.parquet.hadoop.CodecFactory");
            Class<?> known = findLoadedClass(name);
            return known != null ? known : own ? findClass(name) : super.loadClass(name, resolve);
        }
    }

    @Test
    void aParquetWithoutTheTableIsLeftAlone(@TempDir Path folder) throws Exception {
        String map =
                "java.util.Map<String, org.apache.hadoop.io.compress.CompressionCodec> CODEC_BY_NAME"
                        + " = java.util.Collections.emptyMap();";
        String[] members = {"", "private static final " + map, "protected static final " + map,
                "protected static int CODEC_BY_NAME;"};
        for (int i = 0; i < members.length; i++) {
            try (OtherParquet loader = new OtherParquet(folder.resolve("" + i), members[i])) {
                Class<?> other = loader.loadClass("org.pelton.parquet.PeltonParquet");
                assertNotSame(PeltonParquet.class, other);
                String refusal = (String) other.getMethod("install").invoke(null);
                assertTrue(refusal != null && refusal.contains("no table of codecs"), members[i] + ": " + refusal);
                other.getMethod("uninstall").invoke(null);
            }
        }
    }

    @Test
    void threadsShareTheTable() throws Exception {
        assertNull(PeltonParquet.install());
        long before = pages();
        ExecutorService threads = Executors.newFixedThreadPool(3);
        List<Future<?>> done = new ArrayList<>();
        for (int thread = 0; thread < 3; thread++) {
            int seed = thread;
            done.add(threads.submit(() -> {
                CodecFactory factory = new CodecFactory(new Configuration(), 1 << 20);
                for (int i = 0; i < 100; i++) {
                    byte[] page = Samples.data(i % 5, 1 + 997 * i, seed);
                    CompressionCodecName codec = i % 2 == 0 || !Pelton.isAvailable() ? GZIP : LZ4_RAW;
                    BytesInput compressed = factory.getCompressor(codec).compress(BytesInput.from(page));
                    byte[] back = factory.getDecompressor(codec).decompress(compressed, page.length).toByteArray();
                    assertArrayEquals(page, back);
                }
                factory.release();
                return null;
            }));
        }
        for (Future<?> one : done) {
            one.get();
        }
        threads.shutdown();
        assertEquals(600, pages() - before);
    }

    @Test
    void aPageOfSeveralMembersIsRead() throws Exception {
        byte[] page = Samples.data(0, 50000, 1);
        ByteArrayOutputStream to = new ByteArrayOutputStream();
        for (int at = 0; at < page.length; at += 20000) {
            GZIPOutputStream gzip = new GZIPOutputStream(to);
            gzip.write(page, at, Math.min(20000, page.length - at));
            gzip.finish();
        }
        byte[] compressed = to.toByteArray();
        assertArrayEquals(page, Pages.decompress(PageFormat.GZIP, compressed, page.length));
        ByteBuffer target = ByteBuffer.allocate(page.length);
        Pages.fill(PageFormat.GZIP, ByteBuffer.wrap(compressed), target);
        assertArrayEquals(page, target.array());
    }

    @Test
    void badPagesAreErrors() throws Exception {
        byte[] page = Samples.data(0, 50000, 1);
        CompressionCodecFactory factory = new PeltonCodecFactory(new Configuration(), 6);
        byte[] compressed = factory.getCompressor(GZIP).compress(BytesInput.from(page)).toByteArray();
        CompressionCodecFactory.BytesInputDecompressor decompressor = factory.getDecompressor(GZIP);
        assertThrows(IOException.class, () -> decompressor.decompress(BytesInput.from(compressed), page.length - 1));
        assertThrows(IOException.class, () -> decompressor.decompress(
                ByteBuffer.wrap(compressed), compressed.length, ByteBuffer.allocate(page.length), page.length - 1));
        for (int at = 0; at < compressed.length; at += 97) {
            byte[] broken = compressed.clone();
            broken[at] ^= 4;
            try {
                assertArrayEquals(page, Pages.decompress(PageFormat.GZIP, broken, page.length));
            } catch (IOException expected) {
                assertTrue(expected.getMessage().length() > 5);
            }
        }
        // A claim of four gigabytes allocates nothing.
        byte[] claim = compressed.clone();
        Arrays.fill(claim, claim.length - 4, claim.length, (byte) 0xff);
        assertThrows(IOException.class, () -> Pages.decompress(PageFormat.GZIP, claim, page.length));
    }

    private static String oneLine(Throwable error) {
        String text = error.getMessage();
        assertTrue(text != null && text.length() > 5 && text.indexOf('\n') < 0, "text of " + error);
        return text;
    }

    @Test
    void badPagesOfLz4AndSnappyAreErrors() throws Exception {
        if (!Pelton.isAvailable()) {
            // Both codecs are Parquet's own then.
            assertThrows(IllegalStateException.class,
                    () -> Lz4.compress(ByteBuffer.allocate(9), ByteBuffer.allocate(99)));
            return;
        }
        Random random = new Random(6);
        byte[] page = Samples.data(0, 50000, 1);
        CompressionCodecFactory factory = new PeltonCodecFactory(new Configuration(), 6);
        assertNull(PeltonParquet.install());
        CompressionCodecFactory table = new CodecFactory(new Configuration(), 1 << 20);
        for (CompressionCodecName codec : new CompressionCodecName[] {LZ4_RAW, SNAPPY}) {
            byte[] good = factory.getCompressor(codec).compress(BytesInput.from(page)).toByteArray();
            CompressionCodecFactory.BytesInputDecompressor ours = factory.getDecompressor(codec);
            CompressionCodecFactory.BytesInputDecompressor theirs = table.getDecompressor(codec);
            for (int cut = 0; cut < good.length; cut += 1 + cut / 20) {
                byte[] part = Arrays.copyOf(good, cut);
                oneLine(assertThrows(IOException.class, () -> ours.decompress(BytesInput.from(part), page.length)));
                oneLine(assertThrows(IOException.class, () -> ours.decompress(
                        ByteBuffer.wrap(part), part.length, ByteBuffer.allocateDirect(page.length), page.length)));
                assertThrows(IOException.class,
                        () -> theirs.decompress(BytesInput.from(part), page.length).toByteArray(), "cut at " + cut);
            }
            for (int size : new int[] {0, 1, page.length - 1, page.length + 1, 2 * page.length, Integer.MAX_VALUE}) {
                oneLine(assertThrows(IOException.class, () -> ours.decompress(BytesInput.from(good), size)));
            }
            for (int size : new int[] {page.length - 1, page.length + 1}) {
                ByteBuffer target = ByteBuffer.allocate(size);
                oneLine(assertThrows(IOException.class,
                        () -> ours.decompress(ByteBuffer.wrap(good), good.length, target, size)));
                assertEquals(0, target.position());
            }
            assertThrows(IOException.class,
                    () -> theirs.decompress(BytesInput.from(good), page.length + 1).toByteArray());
            for (int round = 0; round < 3000; round++) {
                byte[] broken = good.clone();
                for (int i = random.nextInt(3); i >= 0; i--) {
                    broken[random.nextInt(broken.length)] ^= (byte) (1 << random.nextInt(8));
                }
                try {
                    // Neither format has a checksum.
                    assertEquals(page.length, ours.decompress(BytesInput.from(broken), page.length).size());
                } catch (IOException expected) {
                    oneLine(expected);
                }
            }
        }
        // LZ4's size is in the header alone, so a page that is longer is noticed.
        byte[] lz4 = factory.getCompressor(LZ4_RAW).compress(BytesInput.from(page)).toByteArray();
        assertTrue(oneLine(assertThrows(IOException.class,
                () -> table.getDecompressor(LZ4_RAW).decompress(BytesInput.from(lz4), page.length - 1).toByteArray()))
                .contains("longer than the " + (page.length - 1) + " bytes"));
        // Sizes that Snappy's blocks claim, up to four gigabytes, allocate nothing.
        for (byte[] claim : new byte[][] {{-1, -1, -1, -1, 7, 0}, {-1, -1, -1, -1, 15, 0}, {-1, -1, -1, -1, -1, -1}}) {
            assertThrows(IOException.class,
                    () -> factory.getDecompressor(SNAPPY).decompress(BytesInput.from(claim), 9));
            assertThrows(IOException.class,
                    () -> table.getDecompressor(SNAPPY).decompress(BytesInput.from(claim), 9).toByteArray());
        }
        // A page without values has no bytes in some files.
        for (CompressionCodecName codec : new CompressionCodecName[] {GZIP, LZ4_RAW, SNAPPY}) {
            assertEquals(0, factory.getDecompressor(codec).decompress(BytesInput.from(new byte[0]), 0).size());
            byte[] nothing = factory.getCompressor(codec).compress(BytesInput.from(new byte[0])).toByteArray();
            assertEquals(0, factory.getDecompressor(codec).decompress(BytesInput.from(nothing), 0).size());
            assertEquals(0, table.getDecompressor(codec).decompress(BytesInput.from(nothing), 0).toByteArray().length);
        }
        factory.release();
    }

    @Test
    void aStreamIsReadInPieces() throws Exception {
        byte[] page = Samples.data(0, 100000, 1);
        assertNull(PeltonParquet.install());
        PeltonCodecFactory factory = new PeltonCodecFactory(new Configuration(), 6);
        for (CompressionCodecName codec : new CompressionCodecName[] {GZIP, SNAPPY}) {
            byte[] compressed = factory.getCompressor(codec).compress(BytesInput.from(page)).toByteArray();
            PageFormat format = codec == GZIP ? PageFormat.GZIP : PageFormat.SNAPPY;
            if (isServed(codec)) {
                try (InputStream in = new PageCodec.PageInputStream(new ByteArrayInputStream(compressed), format)) {
                    assertArrayEquals(page, Samples.readAll(in, new Random(2), 9000));
                    assertEquals(0, in.available());
                }
            }
        }
    }
}
