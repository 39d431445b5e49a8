package org.pelton.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.pelton.Pelton;

/**
 * Blocks between buffers: Pelton against the JDK's java.util.zip and other libraries, in one JVM.
 *
 * <p>For each data set, block size and kind of buffers, the libraries take turns, and the first one
 * rotates.
 */
public final class Blocks {
    private static final String[] METHODS = {"compress", "decompress", "compressBatches", "decompressBatches"};
    private static final double MIN_COMPRESS = 2.5;
    private static final double MIN_COMPRESS_PAGES = 4;
    private static final double MAX_BYTES = 1.03;
    private static final double MIN_DECOMPRESS = 1.8;
    private static final double MIN_DECOMPRESS_BATCH = 2.5;

    private Blocks() {}

    /**
     * A library's results in a cell: nanoseconds of a block by method and run, and its compressed
     * bytes by run.
     */
    private static final class Result {
        final Cell cell;
        final String library;
        final Map<String, double[]> times = new TreeMap<>();
        final double[] sizes;

        Result(Cell cell, String library, int runs) {
            this.cell = cell;
            this.library = library;
            sizes = new double[runs];
            for (String method : METHODS) {
                if (library.startsWith("pelton") || !method.endsWith("Batches")) {
                    times.put(method, new double[runs]);
                }
            }
        }

        /** Compressed bytes of a block. */
        double bytes() {
            return Record.median(sizes);
        }

        double speed(String method) {
            return cell.size * 1e3 / Record.median(times.get(method));
        }

        /** How many times as fast as the JDK, block by block. */
        double gain(Result jdk, String method) {
            return Record.ratio(jdk.times.get(method.replace("Batches", "")), times.get(method));
        }
    }

    /** Runs the benchmark. */
    public static void main(String[] arguments) throws Exception {
        StringBuilder names = new StringBuilder();
        for (String[] library : Codec.LIBRARIES) {
            names.append(names.length() == 0 ? "" : ",").append(library[0]);
        }
        Options options = new Options("Blocks",
                "  --text FILE        text: a file, or a .zip with one (default: generated)\n"
                        + "  --parquet FILE     Parquet file without compression, for its pages; without it "
                        + "there are no pages\n"
                        + "  --data LIST        of text, json, pages, sstable (default: all)\n"
                        + "  --sizes LIST       bytes of a block (default: 4096,16384,65536,1048576)\n"
                        + "  --buffers LIST     of heap, direct (default: both)\n"
                        + "  --libraries LIST   (default: " + names + ")\n"
                        + "  --runs N           counted runs (default: 5)\n"
                        + "  --records FOLDER   also writes a record there\n\n"
                        + "One core: taskset -c 0 java -cp … org.pelton.bench.Blocks …\n\n"
                        + "Examples:\n"
                        + "  Blocks --text dickens.zip --parquet lineitem.parquet --records bench/records\n"
                        + "  Blocks --data json --sizes 4096 --buffers heap --libraries pelton,jdk --runs 3",
                "text", "", "parquet", "", "data", "text,json,pages,sstable", "sizes", "4096,16384,65536,1048576",
                "buffers", "heap,direct", "libraries", names.toString(), "runs", "5", "records", "");
        if (!options.read(arguments)) {
            return;
        }
        if (Pelton.loadError() != null) {
            throw new IllegalStateException("Pelton's library is not loaded: " + Pelton.loadError());
        }
        // Processor time is measured, so that another run beside this one is no reason to refuse.
        System.setProperty("jmh.ignoreLock", "true");
        List<String> libraries = new ArrayList<>(Arrays.asList(options.list("libraries")));
        if (!libraries.contains("jdk") || !libraries.contains("pelton")) {
            throw new IllegalArgumentException("pelton and jdk have to be among the libraries: everything is "
                    + "compared with them");
        }
        List<List<Result>> cells = new ArrayList<>();
        for (String data : options.list("data")) {
            if (data.equals("pages") && options.text("parquet").isEmpty()) {
                System.err.println("no pages: --parquet names a Parquet file without compression");
                continue;
            }
            List<byte[]> parts = Data.of(data, options.text("text"), options.text("parquet"));
            for (String size : options.list("sizes")) {
                for (String buffers : options.list("buffers")) {
                    Cell cell = new Cell(data, parts, Integer.parseInt(size), buffers.equals("direct"));
                    cells.add(measure(cell, libraries, options.number("runs")));
                }
            }
        }
        report(cells, options);
    }

    private static List<Result> measure(Cell cell, List<String> libraries, int runs) throws Exception {
        List<Result> results = new ArrayList<>();
        for (String library : libraries) {
            results.add(new Result(cell, library, runs));
        }
        Pass.cell = cell;
        // One run that is not counted: the JVM compiles.
        for (int run = -1; run < runs; run++) {
            for (int turn = 0; turn < libraries.size(); turn++) {
                Result result = results.get((turn + run + 1) % libraries.size());
                int index = run;
                Pass.listener = (method, nanoseconds, bytes) -> {
                    if (index >= 0) {
                        result.times.get(method)[index] = nanoseconds;
                    }
                    if (index >= 0 && method.equals("compress")) {
                        result.sizes[index] = bytes;
                    }
                };
                for (String method : result.times.keySet()) {
                    runJmh(method, result.library);
                }
            }
        }
        Result pelton = find(results, "pelton");
        Result jdk = find(results, "jdk");
        System.err.printf(Locale.ROOT, "%s, %s, %s: compress %.2f times the JDK's, decompress %.2f%n", cell.data,
                name(cell.size), buffers(cell), pelton.gain(jdk, "compress"), pelton.gain(jdk, "decompress"));
        return results;
    }

    private static void runJmh(String method, String library) throws RunnerException {
        TimeValue time = TimeValue.milliseconds(20);
        String name = "^" + Pass.class.getName() + "\\." + method + "$";
        new Runner(new OptionsBuilder().include(name).param("library", library)
                .forks(0).warmupIterations(1).warmupTime(TimeValue.milliseconds(1)).measurementIterations(1)
                .measurementTime(time).verbosity(VerboseMode.SILENT).shouldFailOnError(true).build()).run();
    }

    private static Result find(List<Result> results, String library) {
        return results.stream().filter(result -> result.library.equals(library)).findFirst().get();
    }

    private static String name(int size) {
        return size >= 1 << 20 ? (size >> 20) + " MB" : (size >> 10) + " KB";
    }

    private static String buffers(Cell cell) {
        return cell.isDirect ? "direct" : "heap";
    }

    private static void report(List<List<Result>> cells, Options options) throws Exception {
        Record record = new Record("jvm-blocks");
        for (String[] library : Codec.LIBRARIES) {
            record.line("* %s: %s", library[0], library[1]);
        }
        record.line("%nData: text is %s; json is generated; pages are the bodies of the pages of %s, column by column; "
                + "sstable is a generated time series in a layout like that of Cassandra's table files.%n",
                options.text("text").isEmpty() ? "generated" : options.text("text"),
                options.text("parquet").isEmpty() ? "no file" : options.text("parquet"));
        record.line("A pass goes over 4 MB of blocks, or over 8 blocks. JMH measures passes, all in one JVM and "
                + "one thread. "
                + "A figure is the median of %d of the thread's processor time, a ratio the median of the ratios "
                + "of the same run. "
                + "Batches have %d blocks a call.%n", options.number("runs"), Cell.BATCH);
        reportPelton(record, cells);
        record.line("## All libraries%n");
        record.line("MB/s of uncompressed data, and times as fast as the JDK, batches against the JDK's block by "
                + "block.%n");
        record.line("| data | block | buffers | library | ratio | bytes of the JDK's | compress | | decompress | "
                + "| batch: compress | | decompress | |");
        record.line("|---|--:|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
        record.run("data", "block", "buffers", "library", "compressed_share", "method", "run", "nanoseconds_a_block");
        for (List<Result> results : cells) {
            Result jdk = find(results, "jdk");
            for (Result result : results) {
                Cell cell = result.cell;
                StringBuilder row = new StringBuilder();
                for (String method : METHODS) {
                    row.append(!result.times.containsKey(method) ? " | |" : String.format(
                            Locale.ROOT, " %.0f | %.2f |", result.speed(method), result.gain(jdk, method)));
                    double[] times = result.times.getOrDefault(method, new double[0]);
                    for (int run = 0; run < times.length; run++) {
                        record.run(cell.data, cell.size, buffers(cell), result.library,
                                result.sizes[run] / cell.size, method, run, times[run]);
                    }
                }
                record.line("| %s | %s | %s | %s | %.2f | %.3f |%s", cell.data, name(cell.size), buffers(cell),
                        result.library,
                        cell.size / result.bytes(), result.bytes() / jdk.bytes(), row);
            }
        }
        record.write(options.text("records"), options.command());
    }

    /** Adds Pelton's ratios to the JDK, in bold where they are below the goals. */
    private static void reportPelton(Record record, List<List<Result>> cells) {
        record.line("## Pelton against the JDK%n");
        record.line("Times as fast, and compressed bytes of the JDK's. Goals: compress %.1f, pages %.0f; "
                + "decompress %.1f, "
                + "batches %.1f; bytes at most %.2f. A figure that misses its goal is in bold.%n",
                MIN_COMPRESS, MIN_COMPRESS_PAGES, MIN_DECOMPRESS, MIN_DECOMPRESS_BATCH, MAX_BYTES);
        record.line("| data | block | buffers | bytes | compress | decompress | batch: compress | decompress |");
        record.line("|---|--:|---|--:|--:|--:|--:|--:|");
        double[][] gains = new double[METHODS.length][cells.size()];
        double[] shares = new double[cells.size()];
        for (int i = 0; i < cells.size(); i++) {
            Result pelton = find(cells.get(i), "pelton");
            Result jdk = find(cells.get(i), "jdk");
            double minCompress = pelton.cell.data.equals("pages") ? MIN_COMPRESS_PAGES : MIN_COMPRESS;
            double[] goals = {minCompress, MIN_DECOMPRESS, minCompress, MIN_DECOMPRESS_BATCH};
            StringBuilder row = new StringBuilder();
            for (int method = 0; method < METHODS.length; method++) {
                gains[method][i] = pelton.gain(jdk, METHODS[method]);
                row.append(mark("%.2f", gains[method][i], gains[method][i] < goals[method]));
            }
            shares[i] = pelton.bytes() / jdk.bytes();
            record.line("| %s | %s | %s |%s%s", pelton.cell.data, name(pelton.cell.size), buffers(pelton.cell),
                    mark("%.3f", shares[i], shares[i] > MAX_BYTES), row);
        }
        StringBuilder worst = new StringBuilder();
        StringBuilder medians = new StringBuilder();
        for (double[] values : gains) {
            worst.append(mark("%.2f", Arrays.stream(values).min().getAsDouble(), false));
            medians.append(mark("%.2f", Record.median(values), false));
        }
        record.line("| worst | | |%s%s", mark("%.3f", Arrays.stream(shares).max().getAsDouble(), false), worst);
        record.line("| median | | |%s%s%n", mark("%.3f", Record.median(shares), false), medians);
    }

    private static String mark(String format, double value, boolean isMissed) {
        String number = String.format(Locale.ROOT, format, value);
        return isMissed ? " **" + number + "** |" : " " + number + " |";
    }
}
