package org.pelton.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * A shuffle of Spark on two threads, by codec: rows like those of a table of sales are exchanged between partitions.
 *
 * <p>Each run is a virtual machine of its own, and the codecs take turns. Processor time, time and shuffled bytes of one
 * exchange are measured, after a first one of the same kind. The time on a slow disk is modelled: the page cache of this
 * machine holds the files.
 */
public final class Shuffle {
    private static final String[] CODECS = {"lz4", "zstd", "org.pelton.spark.PeltonCompressionCodec"};

    private static final int THREADS = 2;

    private Shuffle() {}

    /** Runs the comparison, or, as its child, one run. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length == 0 || arguments[0].equals("--help")) {
            System.out.println("usage: Shuffle ROWS [RUNS]\n\n20 million rows are about 2 GB before compression. Example: Shuffle 20000000 5");
        } else if (arguments[0].equals("run")) {
            run(arguments[1], Long.parseLong(arguments[2]));
        } else {
            compare(Long.parseLong(arguments[0]), arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5);
        }
    }

    private static void compare(long rows, int runs) throws Exception {
        double[][][] found = new double[CODECS.length][3][runs];
        for (int run = 0; run < runs; run++) {
            for (int turn = 0; turn < CODECS.length; turn++) {
                int codec = (turn + run) % CODECS.length;
                double[] values = child(CODECS[codec], rows);
                for (int i = 0; i < values.length; i++) {
                    found[codec][i][run] = values[i];
                }
            }
        }
        System.out.printf(Locale.ROOT, "%d rows, medians of %d runs, Java %s%n%n", rows, runs, System.getProperty("java.version"));
        System.out.println("| codec | CPU s | of lz4's | s | MB shuffled | of lz4's | modelled s at 100 MB/s | at 25 MB/s |");
        System.out.println("|---|--:|--:|--:|--:|--:|--:|--:|");
        for (int codec = 0; codec < CODECS.length; codec++) {
            double cpu = median(found[codec][0]);
            double bytes = median(found[codec][2]);
            System.out.printf(Locale.ROOT, "| %s | %.1f | %.2f | %.1f | %.0f | %.2f | %.1f | %.1f |%n",
                    CODECS[codec].replaceAll(".*\\.", ""), cpu, cpu / median(found[0][0]), median(found[codec][1]), bytes / 1e6,
                    bytes / median(found[0][2]), modelled(cpu, bytes, 100e6), modelled(cpu, bytes, 25e6));
        }
    }

    /** Returns the time on a disk of this bandwidth that holds nothing in memory: the work of two cores, then all bytes twice. */
    private static double modelled(double cpu, double bytes, double bandwidth) {
        return cpu / THREADS + 2 * bytes / bandwidth;
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    private static double[] child(String codec, long rows) throws Exception {
        List<String> command = new ArrayList<>(Arrays.asList(
                Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx2g"));
        for (String name : new String[] {
            "java.lang", "java.lang.invoke", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.util",
            "java.util.concurrent", "java.util.concurrent.atomic", "jdk.internal.ref", "sun.nio.ch", "sun.nio.cs",
            "sun.security.action", "sun.util.calendar"
        }) {
            command.add("--add-opens=java.base/" + name + "=ALL-UNNAMED");
        }
        command.addAll(Arrays.asList(
                "-cp", System.getProperty("java.class.path"), "org.pelton.bench.Shuffle", "run", codec, String.valueOf(rows)));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        double[] values = null;
        try (BufferedReader out = new BufferedReader(new InputStreamReader(process.getInputStream()))) {
            for (String line; (line = out.readLine()) != null; ) {
                if (line.startsWith("result ")) {
                    values = Arrays.stream(line.substring(7).split(" ")).mapToDouble(Double::parseDouble).toArray();
                }
            }
        }
        if (process.waitFor() != 0 || values == null) {
            throw new IOException("the run with " + codec + " failed: " + String.join(" ", command));
        }
        return values;
    }

    private static void run(String codec, long rows) throws Exception {
        Path folder = Files.createTempDirectory("pelton-shuffle");
        SparkSession spark = SparkSession.builder().master("local[" + THREADS + "]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.local.dir", folder.toString())
                .config("spark.sql.shuffle.partitions", "16")
                .config("spark.sql.adaptive.enabled", "false")
                .config("spark.io.compression.codec", codec)
                .getOrCreate();
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
            exchange(spark, rows);
            double seconds = (System.nanoTime() - start) / 1e9;
            double cpuSeconds = (system.getProcessCpuTime() - cpu) / 1e9;
            spark.sparkContext().listenerBus().waitUntilEmpty();
            System.out.println("result " + cpuSeconds + " " + seconds + " " + written.get());
        } finally {
            spark.stop();
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(java.util.Comparator.reverseOrder()).map(Path::toFile).forEach(File::delete);
            }
        }
    }

    /** Exchanges rows, and adds them up so that all are read. */
    private static void exchange(SparkSession spark, long rows) {
        Dataset<Row> sales = spark.range(rows).selectExpr(
                "cast(2450816 + hash(id) % 1823 AS int) AS sold_date", "cast(pmod(hash(id, 1), 86400) AS int) AS sold_time",
                "cast(pmod(hash(id, 2), 18000) AS int) AS item", "cast(pmod(hash(id, 3), 100000) AS int) AS customer",
                "cast(pmod(hash(id, 4), 12) AS int) AS store", "cast(pmod(hash(id, 5), 300) AS int) AS promo",
                "cast(id / 9 AS long) AS ticket", "cast(1 + pmod(hash(id, 6), 100) AS int) AS quantity",
                "round(pmod(hash(id, 7), 10000) / 100, 2) AS price", "round(pmod(hash(id, 8), 10000) / 100, 2) AS discount",
                "concat('Customer#', lpad(cast(pmod(hash(id, 3), 100000) AS string), 9, '0')) AS name");
        List<Row> sum = sales.repartition(16, sales.col("customer"))
                .selectExpr("sum(price)", "sum(length(name))", "count(*)").collectAsList();
        if (sum.get(0).getLong(2) != rows) {
            throw new IllegalStateException("rows are missing");
        }
    }
}
