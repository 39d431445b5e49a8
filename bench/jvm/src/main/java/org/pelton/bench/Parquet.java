package org.pelton.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.hadoop.example.GroupReadSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.hadoop.rewrite.ParquetRewriter;
import org.apache.parquet.hadoop.rewrite.RewriteOptions;
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageType;
import org.pelton.Pelton;
import org.pelton.parquet.PeltonParquet;

/**
 * Parquet-java, writing and reading tables with its own codecs and with Pelton's in its table, in
 * turn.
 *
 * <p>Rows are parquet-java's example records, in memory. Pages are written by its rewriter, from a
 * file without compression, and read without making rows of them, as engines with decoders of their
 * own do.
 */
public final class Parquet {
    private static final Configuration CONF = new Configuration();

    /** What is measured, in the order in which a run does it. */
    private static final String[] WORKS = {"write rows", "read rows", "write pages", "read pages"};

    /**
     * Name, codec, and whether Pelton's codec is in parquet-java's table. The first one is what
     * others are compared with, and those with Pelton also with the one before.
     */
    private enum Mode {
        GZIP("gzip", CompressionCodecName.GZIP, false),
        GZIP_PELTON("gzip with Pelton", CompressionCodecName.GZIP, true),
        SNAPPY("snappy", CompressionCodecName.SNAPPY, false),
        SNAPPY_PELTON("snappy with Pelton", CompressionCodecName.SNAPPY, true),
        LZ4_RAW("lz4_raw", CompressionCodecName.LZ4_RAW, false),
        LZ4_RAW_PELTON("lz4_raw with Pelton", CompressionCodecName.LZ4_RAW, true),
        ZSTD("zstd", CompressionCodecName.ZSTD, false);

        final String title;
        final CompressionCodecName codec;
        final boolean isOurs;

        Mode(String title, CompressionCodecName codec, boolean isOurs) {
            this.title = title;
            this.codec = codec;
            this.isOurs = isOurs;
        }

        /** Returns whether Pelton compresses the pages: Snappy's are only decompressed by it. */
        boolean isCompressedHere() {
            return isOurs && codec != CompressionCodecName.SNAPPY;
        }
    }

    /** A table's rows and files. */
    private final String name;
    private final List<Group> rows = new ArrayList<>();
    private final MessageType schema;
    private final Path uncompressed;
    private final Path folder;
    /** Processor time and time in seconds, by mode, work and run. */
    private final double[][][] cpu;
    private final double[][][] wall;
    private final long[] sizes = new long[Mode.values().length];

    private Parquet(Path file, int most, int runs, Path folder) throws IOException {
        name = file.getFileName().toString();
        try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), hadoop(file)).build()) {
            for (Group row; rows.size() < most && (row = reader.read()) != null; ) {
                rows.add(row);
            }
        }
        if (rows.isEmpty()) {
            throw new IOException(file + " has no row");
        }
        schema = (MessageType) rows.get(0).getType();
        this.folder = folder;
        uncompressed = folder.resolve("uncompressed.parquet");
        writeRows(uncompressed, CompressionCodecName.UNCOMPRESSED);
        cpu = new double[Mode.values().length][WORKS.length][runs];
        wall = new double[Mode.values().length][WORKS.length][runs];
    }

    /** Runs the benchmark. */
    public static void main(String[] arguments) throws Exception {
        Options options = new Options("Parquet",
                "  --files LIST       Parquet files\n"
                        + "  --rows N           rows of each that are kept in memory and written (default: 200000)\n"
                        + "  --runs N           counted runs (default: 5)\n"
                        + "  --repeats N        times that a run does its work, as the processor's clock is "
                        + "coarse; ten times as often it reads pages (default: 5)\n"
                        + "  --records FOLDER   also writes a record there\n\n"
                        + "Examples:\n"
                        + "  Parquet --files lineitem.parquet,store_sales.parquet --records bench/records\n"
                        + "  Parquet --files lineitem.parquet --rows 50000 --runs 3",
                "files", "", "rows", "200000", "runs", "5", "repeats", "5", "records", "");
        if (!options.read(arguments)) {
            return;
        }
        if (options.text("files").isEmpty()) {
            throw new IllegalArgumentException("no table: --files names Parquet files");
        }
        if (Pelton.loadError() != null) {
            throw new IllegalStateException("Pelton's library is not loaded: " + Pelton.loadError());
        }
        Record record = new Record("jvm-parquet");
        record.line("parquet-java 1.18.1 on local files that the page cache has. Processor time of the whole "
                + "process, garbage "
                + "collection too; medians of %d runs, ratios medians of the ratios of the same run. Modes take "
                + "turns, and the "
                + "first one rotates. All files give the same rows.%n", options.number("runs"));
        record.run("table", "mode", "work", "run", "cpu_seconds", "seconds");
        for (String file : options.list("files")) {
            Path folder = Files.createTempDirectory("pelton-parquet");
            try {
                Parquet table = new Parquet(Paths.get(file), options.number("rows"), options.number("runs"), folder);
                table.compare();
                table.measure(options.number("repeats"));
                table.report(record);
            } finally {
                try (java.util.stream.Stream<Path> files = Files.list(folder)) {
                    files.forEach(path -> path.toFile().delete());
                }
                Files.delete(folder);
            }
        }
        record.write(options.text("records"), options.command());
    }

    /** Checks that files of all modes, by rows and by pages, give the rows in memory. */
    private void compare() throws IOException {
        for (Mode mode : Mode.values()) {
            select(mode);
            for (boolean isByPages : new boolean[] {false, true}) {
                Path file = folder.resolve("compared.parquet");
                if (isByPages) {
                    writePages(file, mode.codec);
                } else {
                    writeRows(file, mode.codec);
                }
                // Written by one codec, read by the other.
                for (Mode reading : Mode.values()) {
                    if (reading.codec == mode.codec) {
                        select(reading);
                        compare(file);
                    }
                }
                select(mode);
            }
        }
    }

    private void compare(Path file) throws IOException {
        int at = 0;
        try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), hadoop(file)).build()) {
            for (Group row; (row = reader.read()) != null; at++) {
                if (at == rows.size() || !row.toString().equals(rows.get(at).toString())) {
                    throw new IllegalStateException(name + ": row " + at + " is another one");
                }
            }
        }
        if (at != rows.size()) {
            throw new IllegalStateException(name + " has " + at + " rows, not " + rows.size());
        }
    }

    private static void select(Mode mode) {
        PeltonParquet.uninstall();
        String error = mode.isOurs ? PeltonParquet.install() : null;
        if (error != null) {
            throw new IllegalStateException(error);
        }
    }

    private void measure(int repeats) throws IOException {
        Mode[] modes = Mode.values();
        // One run that is not counted: the JVM compiles.
        for (int run = -1; run < cpu[0][0].length; run++) {
            for (int turn = 0; turn < modes.length; turn++) {
                Mode mode = modes[(turn + run + 1) % modes.length];
                select(mode);
                Path file = folder.resolve("table.parquet");
                Path rewritten = folder.resolve("rewritten.parquet");
                long pages = PeltonParquet.compressedPages();
                long pagesRead = PeltonParquet.decompressedPages();
                measure(mode, 0, run, repeats, () -> writeRows(file, mode.codec));
                measure(mode, 1, run, repeats, () -> readRows(file));
                measure(mode, 2, run, repeats, () -> writePages(rewritten, mode.codec));
                measure(mode, 3, run, 10 * repeats, () -> readPages(rewritten));
                if (PeltonParquet.compressedPages() > pages != mode.isCompressedHere()
                        || PeltonParquet.decompressedPages() > pagesRead != mode.isOurs) {
                    throw new IllegalStateException("the pages went to the other codec");
                }
                sizes[mode.ordinal()] = Files.size(file);
            }
            System.err.println(name + ": run " + run + " of " + cpu[0][0].length + " is done");
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private void measure(Mode mode, int index, int run, int repeats, Work work) throws IOException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long start = System.nanoTime();
        long cpuStart = system.getProcessCpuTime();
        for (int repeat = 0; repeat < repeats; repeat++) {
            work.run();
        }
        if (run >= 0) {
            cpu[mode.ordinal()][index][run] = (system.getProcessCpuTime() - cpuStart) / 1e9 / repeats;
            wall[mode.ordinal()][index][run] = (System.nanoTime() - start) / 1e9 / repeats;
        }
    }

    private void report(Record record) throws IOException {
        record.line("## %s%n", name);
        record.line("%d rows, %.1f MB without compression.%n", rows.size(), Files.size(uncompressed) / 1e6);
        record.line("| work | mode | CPU s | gzip's CPU / its | without Pelton: CPU / its | s | gzip's s / its "
                + "| bytes of gzip's |");
        record.line("|---|---|--:|--:|--:|--:|--:|--:|");
        for (int work = 0; work < WORKS.length; work++) {
            for (Mode mode : Mode.values()) {
                double[] seconds = cpu[mode.ordinal()][work];
                double[] clock = wall[mode.ordinal()][work];
                String gain = mode.isOurs
                        ? String.format("%.2f", Record.ratio(cpu[mode.ordinal() - 1][work], seconds)) : "";
                record.line("| %s | %s | %.3f | %.2f | %s | %.3f | %.2f | %.3f |", WORKS[work], mode.title,
                        Record.median(seconds), Record.ratio(cpu[0][work], seconds), gain, Record.median(clock),
                        Record.ratio(wall[0][work], clock), (double) sizes[mode.ordinal()] / sizes[0]);
                for (int run = 0; run < seconds.length; run++) {
                    record.run(name, mode.title, WORKS[work], run, seconds[run], clock[run]);
                }
            }
        }
        record.line("");
    }

    private static org.apache.hadoop.fs.Path hadoop(Path file) {
        return new org.apache.hadoop.fs.Path(file.toUri());
    }

    private void writeRows(Path file, CompressionCodecName codec) throws IOException {
        Files.deleteIfExists(file);
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(hadoop(file))
                .withType(schema).withConf(CONF).withCompressionCodec(codec).build()) {
            for (Group row : rows) {
                writer.write(row);
            }
        }
    }

    private void readRows(Path file) throws IOException {
        int count = 0;
        try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), hadoop(file)).build()) {
            while (reader.read() != null) {
                count++;
            }
        }
        if (count != rows.size()) {
            throw new IOException(count + " rows of " + rows.size());
        }
    }

    private void writePages(Path file, CompressionCodecName codec) throws IOException {
        Files.deleteIfExists(file);
        RewriteOptions options = new RewriteOptions.Builder(CONF, hadoop(uncompressed), hadoop(file)).transform(codec)
                .build();
        try (ParquetRewriter rewriter = new ParquetRewriter(options)) {
            rewriter.processBlocks();
        }
    }

    private static void readPages(Path file) throws IOException {
        long bytes = 0;
        try (ParquetFileReader reader = ParquetFileReader.open(HadoopInputFile.fromPath(hadoop(file), CONF))) {
            for (PageReadStore group; (group = reader.readNextRowGroup()) != null; ) {
                for (ColumnDescriptor column : reader.getFooter().getFileMetaData().getSchema().getColumns()) {
                    PageReader pages = group.getPageReader(column);
                    pages.readDictionaryPage();
                    for (DataPage page; (page = pages.readPage()) != null; ) {
                        bytes += ((DataPageV1) page).getBytes().toByteArray().length;
                    }
                }
            }
        }
        if (bytes == 0) {
            throw new IOException("no page");
        }
    }
}
