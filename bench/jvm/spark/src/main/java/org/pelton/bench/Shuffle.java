package org.pelton.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.pelton.Pelton;
import org.pelton.spark.PeltonCompressionCodec;

/**
 * A shuffle of Spark on two threads, by codec: rows like those of a table of sales are exchanged
 * between partitions.
 *
 * <p>Each run is a JVM of its own, and the codecs take turns. One exchange is measured, after a
 * shorter one that warms up. The page cache of a machine with much memory holds the files; for
 * slower disks there is a model, and the script {@code limited-disk}.
 */
public final class Shuffle {
    private static final String[] COLUMNS = {
        "cast(2450816 + pmod(hash(id), 1823) AS int) AS sold_date",
        "cast(pmod(hash(id, 1), 86400) AS int) AS sold_time",
        "cast(pmod(hash(id, 2), 18000) AS int) AS item", "cast(pmod(hash(id, 3), 100000) AS int) AS customer",
        "cast(pmod(hash(id, 4), 12) AS int) AS store", "cast(pmod(hash(id, 5), 300) AS int) AS promo",
        "cast(id / 9 AS long) AS ticket", "cast(1 + pmod(hash(id, 6), 100) AS int) AS quantity",
        "round(pmod(hash(id, 7), 10000) / 100, 2) AS price", "round(pmod(hash(id, 8), 10000) / 100, 2) AS discount",
        "concat('Customer#', lpad(cast(pmod(hash(id, 3), 100000) AS string), 9, '0')) AS name",
    };

    /** Packages of the JDK that Spark uses, as its own scripts open them. */
    private static final String[] PACKAGES = {
        "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
        "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
        "sun.security.action", "sun.util.calendar",
    };

    private static final int THREADS = 2;

    /** Codec without compression, for the uncompressed bytes. */
    private static final String NONE = "none";

    private Shuffle() {}

    /** What a run found. */
    private static final class Run {
        final double cpuSeconds;
        final double seconds;
        final long bytes;
        final String answer;

        Run(String line) {
            String[] fields = line.split(" ");
            cpuSeconds = Double.parseDouble(fields[1]);
            seconds = Double.parseDouble(fields[2]);
            bytes = Long.parseLong(fields[3]);
            answer = fields[4];
        }
    }

    /** Runs the benchmark or, as its child, one run. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0 && arguments[0].equals("run")) {
            run(arguments[1], Long.parseLong(arguments[2]), Paths.get(arguments[3]), arguments[4]);
            return;
        }
        Options options = new Options("Shuffle",
                "  --rows N           rows to exchange; 20 million (the default) are more than 2 GB without "
                + "compression\n"
                        + "  --codecs LIST      values of spark.io.compression.codec, or none; the first is what "
                        + "others are\n"
                        + "                     compared with (default: lz4, zstd, Pelton's, none)\n"
                        + "  --runs N           counted runs (default: 5)\n"
                        + "  --folder FOLDER    for Spark's files (default: the system's for temporary files)\n"
                        + "  --buffer SIZE      spark.shuffle.file.buffer (default: 32k, as Spark's)\n"
                        + "  --note TEXT        about the folder, for the record\n"
                        + "  --name NAME        of the record (default: jvm-shuffle)\n"
                        + "  --records FOLDER   also writes a record there\n\n"
                        + "Examples:\n"
                        + "  Shuffle --records bench/records\n"
                        + "  Shuffle --rows 1000000 --codecs lz4,org.pelton.spark.PeltonCompressionCodec --runs 3\n"
                        + "  bench/jvm/spark/limited-disk 100 4 java -cp … org.pelton.bench.Shuffle --name "
                        + "jvm-shuffle-limited",
                "rows", "20000000", "codecs", "lz4,zstd,org.pelton.spark.PeltonCompressionCodec,none", "runs", "5",
                "folder", System.getenv().getOrDefault("LIMITED_DISK", System.getProperty("java.io.tmpdir")),
                "buffer", "32k", "note", System.getenv().getOrDefault("LIMITED_DISK_NOTE", ""), "name", "jvm-shuffle",
                "records", "");
        if (options.read(arguments)) {
            compare(options);
        }
    }

    private static void compare(Options options) throws Exception {
        String[] codecs = options.list("codecs");
        Run[][] found = new Run[codecs.length][options.number("runs")];
        String answer = null;
        for (int run = 0; run < options.number("runs"); run++) {
            for (int turn = 0; turn < codecs.length; turn++) {
                int codec = (turn + run) % codecs.length;
                Run result = child(codecs[codec], options);
                System.err.println(codecs[codec] + ": " + result.cpuSeconds + " s of the processor, " + result.seconds
                        + " s, "
                        + result.bytes + " bytes");
                answer = answer == null ? result.answer : answer;
                if (!answer.equals(result.answer)) {
                    throw new IllegalStateException(codecs[codec] + " gives another answer: " + result.answer
                            + ", not " + answer);
                }
                found[codec][run] = result;
            }
        }
        report(options, codecs, found);
    }

    private static void report(Options options, String[] codecs, Run[][] found) throws IOException {
        Record record = new Record(options.text("name"));
        record.line("Spark %s, %d threads, a heap of 2 GB; %s rows are repartitioned by a column, 16 partitions "
                + "to 16, and their hashes "
                + "added up. Each run is a JVM of its own, codecs take turns, and the first one rotates. "
                + "Processor time is that of "
                + "the whole process during the exchange. Medians of %d runs, and ratios to %s of medians. All "
                + "answers are equal. "
                + "Modelled: the processor time on both threads, then all bytes written and read at that bandwidth.%n",
                sparkVersion(), THREADS, options.text("rows"), options.number("runs"), codecs[0]);
        if (!options.text("note").isEmpty()) {
            record.line("%s%n", options.text("note"));
        }
        record.line("| codec | CPU s | of %s's | s | of %s's | MB written | of %s's | modelled s at 100 MB/s | "
                + "at 25 MB/s |", codecs[0], codecs[0], codecs[0]);
        record.line("|---|--:|--:|--:|--:|--:|--:|--:|--:|");
        record.run("codec", "run", "cpu_seconds", "seconds", "bytes");
        double[] first = null;
        for (int codec = 0; codec < codecs.length; codec++) {
            double[] medians = {
                median(found[codec], 0), median(found[codec], 1), median(found[codec], 2),
            };
            first = first == null ? medians : first;
            record.line("| %s | %.1f | %.2f | %.1f | %.2f | %.0f | %.3f | %.1f | %.1f |",
                    codecs[codec].replaceAll(".*\\.", ""), medians[0],
                    medians[0] / first[0], medians[1], medians[1] / first[1], medians[2] / 1e6, medians[2] / first[2],
                    modelled(medians[0], medians[2], 100e6), modelled(medians[0], medians[2], 25e6));
            for (int run = 0; run < found[codec].length; run++) {
                Run result = found[codec][run];
                record.run(codecs[codec], run, result.cpuSeconds, result.seconds, result.bytes);
            }
        }
        record.write(options.text("records"), options.command());
    }

    /**
     * Returns the time on a disk of this bandwidth, in bytes a second, that holds nothing in
     * memory.
     */
    private static double modelled(double cpuSeconds, double bytes, double bandwidth) {
        return cpuSeconds / THREADS + 2 * bytes / bandwidth;
    }

    private static double median(Run[] runs, int field) {
        return Record.median(Arrays.stream(runs)
                .mapToDouble(run -> field == 0 ? run.cpuSeconds : field == 1 ? run.seconds : run.bytes).toArray());
    }

    private static String sparkVersion() {
        return org.apache.spark.package$.MODULE$.SPARK_VERSION();
    }

    private static Run child(String codec, Options options) throws Exception {
        List<String> command = new ArrayList<>(Arrays.asList(
                Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx2g"));
        for (String name : PACKAGES) {
            command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED");
        }
        command.addAll(Arrays.asList(
                "-cp", System.getProperty("java.class.path"), Shuffle.class.getName(), "run", codec,
                options.text("rows"), options.text("folder"), options.text("buffer")));
        Path log = Files.createTempFile("pelton-shuffle", ".log");
        Process process = new ProcessBuilder(command).redirectError(log.toFile()).start();
        Run run = null;
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (String line; (line = out.readLine()) != null; ) {
                if (line.startsWith("result ")) {
                    run = new Run(line);
                }
            }
        }
        if (process.waitFor() != 0 || run == null) {
            throw new IOException("the run with " + codec + " failed: see " + log);
        }
        Files.delete(log);
        return run;
    }

    private static void run(String codec, long rows, Path parent, String buffer) throws Exception {
        Path folder = Files.createTempDirectory(parent, "pelton-shuffle");
        SparkSession.Builder builder = SparkSession.builder().master("local[" + THREADS + "]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.local.dir", folder.toString())
                .config("spark.shuffle.file.buffer", buffer)
                .config("spark.sql.adaptive.enabled", "false");
        if (codec.equals(NONE)) {
            builder.config("spark.shuffle.compress", "false");
        } else {
            builder.config("spark.io.compression.codec", codec);
        }
        SparkSession spark = builder.getOrCreate();
        try {
            AtomicLong written = new AtomicLong();
            spark.sparkContext().addSparkListener(new SparkListener() {
                @Override
                public void onTaskEnd(SparkListenerTaskEnd end) {
                    written.addAndGet(end.taskMetrics().shuffleWriteMetrics().bytesWritten());
                }
            });
            OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
            exchange(spark, rows / 20);
            spark.sparkContext().listenerBus().waitUntilEmpty();
            written.set(0);
            long cpu = system.getProcessCpuTime();
            long start = System.nanoTime();
            String answer = exchange(spark, rows);
            double seconds = (System.nanoTime() - start) / 1e9;
            double cpuSeconds = (system.getProcessCpuTime() - cpu) / 1e9;
            spark.sparkContext().listenerBus().waitUntilEmpty();
            if (codec.equals(PeltonCompressionCodec.class.getName())
                    && (Pelton.loadError() != null || PeltonCompressionCodec.streams() == 0)) {
                throw new IllegalStateException("Pelton's codec was not used: " + Pelton.loadError());
            }
            System.out.println("result " + cpuSeconds + " " + seconds + " " + written.get() + " " + answer);
        } finally {
            spark.stop();
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
            }
        }
    }

    /**
     * Exchanges rows. Returns their number and the sum of their hashes, for which every column is
     * read.
     */
    private static String exchange(SparkSession spark, long rows) {
        String names = IntStream.range(0, COLUMNS.length).mapToObj(i -> COLUMNS[i].replaceAll(".* AS ", ""))
                .collect(Collectors.joining(", "));
        Row sum = spark.range(0, rows, 1, 16).selectExpr(COLUMNS)
                .repartition(16, org.apache.spark.sql.functions.col("customer"))
                .selectExpr("count(*)", "sum(cast(hash(" + names + ") AS long))").collectAsList().get(0);
        if (sum.getLong(0) != rows) {
            throw new IllegalStateException(sum.getLong(0) + " rows of " + rows);
        }
        return rows + ":" + sum.getLong(1);
    }
}
