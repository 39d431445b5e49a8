package org.pelton.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
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
import org.apache.parquet.hadoop.util.HadoopInputFile;
import org.apache.parquet.schema.MessageType;
import org.pelton.parquet.PeltonParquet;

/**
 * Parquet-java, writing and reading a table as gzip, with its own codec and with Pelton's in its table, in turn.
 *
 * <p>Processor time of the process is measured: of writing rows, of reading rows, and of reading pages without making
 * rows of them, as engines with decoders of their own do.
 */
public final class Parquet {
    private static final Configuration CONF = new Configuration();
    private static final String[] WORK = {"write rows", "read rows", "read pages"};

    private Parquet() {}

    /** Runs the comparison. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0 || arguments[0].equals("--help")) {
            System.out.println("usage: Parquet FILE [ROWS [RUNS]]\n\n"
                    + "FILE is a Parquet file; ROWS of it (200000) are kept in memory and written to a temporary folder.\n"
                    + "Example: Parquet lineitem.parquet 200000 5");
            return;
        }
        int most = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 200000;
        int runs = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 5;
        List<Group> rows = new ArrayList<>();
        org.apache.hadoop.fs.Path source = new org.apache.hadoop.fs.Path(Paths.get(arguments[0]).toUri());
        try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), source).build()) {
            for (Group row; rows.size() < most && (row = reader.read()) != null; ) {
                rows.add(row);
            }
        }
        MessageType schema = (MessageType) rows.get(0).getType();
        Path folder = Files.createTempDirectory("pelton-parquet");
        double[][][] times = new double[WORK.length][2][runs];
        long[] sizes = new long[2];
        try {
            // One run in which nothing is counted; then both in turn, each first as often as the other.
            for (int run = -1; run < runs; run++) {
                for (int turn = 0; turn < 2; turn++) {
                    int ours = (turn + Math.max(run, 0)) % 2;
                    if (ours == 1 && PeltonParquet.install() != null) {
                        throw new IllegalStateException(PeltonParquet.install());
                    }
                    if (ours == 0) {
                        PeltonParquet.uninstall();
                    }
                    long pages = PeltonParquet.compressedPages() + PeltonParquet.decompressedPages();
                    Path file = folder.resolve("table" + ours + ".parquet");
                    Files.deleteIfExists(file);
                    double[] cpu = {
                        cpu(() -> write(rows, schema, file)), cpu(() -> readRows(file, rows.size())), cpu(() -> readPages(file)),
                    };
                    sizes[ours] = Files.size(file);
                    if ((PeltonParquet.compressedPages() + PeltonParquet.decompressedPages() > pages) != (ours == 1)) {
                        throw new IllegalStateException("the pages went to the other codec");
                    }
                    for (int work = 0; run >= 0 && work < WORK.length; work++) {
                        times[work][ours][run] = cpu[work];
                    }
                }
            }
        } finally {
            for (Path file : new Path[] {folder.resolve("table0.parquet"), folder.resolve("table1.parquet"),
                folder.resolve(".table0.parquet.crc"), folder.resolve(".table1.parquet.crc"), folder}) {
                Files.deleteIfExists(file);
            }
        }
        System.out.printf(Locale.ROOT, "%d rows of %s, gzip, medians of %d runs, Java %s, size %.3f of parquet-java's%n%n",
                rows.size(), arguments[0], runs, System.getProperty("java.version"), (double) sizes[1] / sizes[0]);
        System.out.println("| work | parquet-java, CPU s | with Pelton, CPU s | parquet-java / Pelton |");
        System.out.println("|---|--:|--:|--:|");
        for (int work = 0; work < WORK.length; work++) {
            double theirs = median(times[work][0]);
            double ours = median(times[work][1]);
            double[] ratios = new double[runs];
            for (int run = 0; run < runs; run++) {
                ratios[run] = times[work][0][run] / times[work][1][run];
            }
            System.out.printf(Locale.ROOT, "| %s | %.2f | %.2f | %.2f |%n", WORK[work], theirs, ours, median(ratios));
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private static double cpu(Work work) throws IOException {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long start = system.getProcessCpuTime();
        work.run();
        return (system.getProcessCpuTime() - start) / 1e9;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static org.apache.hadoop.fs.Path hadoop(Path file) {
        return new org.apache.hadoop.fs.Path(file.toUri());
    }

    private static void write(List<Group> rows, MessageType schema, Path file) throws IOException {
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(hadoop(file))
                .withType(schema).withConf(CONF).withCompressionCodec(CompressionCodecName.GZIP).build()) {
            for (Group row : rows) {
                writer.write(row);
            }
        }
    }

    private static void readRows(Path file, int expected) throws IOException {
        int rows = 0;
        try (ParquetReader<Group> reader = ParquetReader.builder(new GroupReadSupport(), hadoop(file)).build()) {
            while (reader.read() != null) {
                rows++;
            }
        }
        if (rows != expected) {
            throw new IOException(rows + " rows of " + expected);
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
