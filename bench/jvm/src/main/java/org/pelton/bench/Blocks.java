package org.pelton.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;
import org.pelton.Format;
import org.pelton.Inflate;

/** Blocks between arrays: each library compresses and decompresses the blocks of a data set in turn. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Blocks {
    private static final String[] LIBRARIES =
        {"pelton", "jdk", "pelton-1", "zstd-jni", "lz4-java", "snappy-java", "air-lz4", "air-zstd"};

    @Param({"text", "json", "pages", "sstable"})
    public String data;

    @Param({"4096", "16384", "65536", "1048576"})
    public int size;

    @Param({"pelton", "jdk", "pelton-1", "zstd-jni", "lz4-java", "snappy-java", "air-lz4", "air-zstd"})
    public String library;

    private static final int BATCH = 32;

    private Codec codec;
    private byte[][] blocks;
    private byte[][] compressed;
    private byte[] target;
    private byte[] back;
    private int next;
    private final Inflate inflate = new Inflate(Format.ZLIB);
    private ByteBuffer[] sources;
    private ByteBuffer[] targets;

    /** Cuts the data, and checks that the library returns it. */
    @Setup
    public void setUp() throws Exception {
        blocks = cut(data, size);
        codec = Codec.of(library);
        target = new byte[2 * size + 1000];
        back = new byte[size];
        compressed = new byte[blocks.length][];
        for (int i = 0; i < blocks.length; i++) {
            compressed[i] = Arrays.copyOf(target, codec.compress(blocks[i], target));
            codec.decompress(compressed[i], compressed[i].length, back);
            if (!Arrays.equals(back, blocks[i])) {
                throw new IllegalStateException(library + " returns other data");
            }
        }
        sources = new ByteBuffer[BATCH];
        targets = new ByteBuffer[BATCH];
        for (int i = 0; i < BATCH; i++) {
            targets[i] = ByteBuffer.allocate(size);
        }
    }

    private static byte[][] cut(String data, int size) throws IOException {
        byte[] all = Data.of(data, System.getProperty("bench.text"), System.getProperty("bench.parquet"));
        List<byte[]> blocks = new ArrayList<>();
        // Spread over the data, and so few that a run meets each block several times.
        int count = Math.min(all.length / size, Math.max(8, (4 << 20) / size));
        for (int i = 0; i < count; i++) {
            int at = (int) ((long) i * (all.length - size) / Math.max(1, count - 1));
            blocks.add(Arrays.copyOfRange(all, at, at + size));
        }
        return blocks.toArray(new byte[0][]);
    }

    /** Compresses a block. */
    @Benchmark
    public int compress() throws Exception {
        next = next + 1 == blocks.length ? 0 : next + 1;
        return codec.compress(blocks[next], target);
    }

    /** Decompresses a block. */
    @Benchmark
    public byte[] decompress() throws Exception {
        next = next + 1 == blocks.length ? 0 : next + 1;
        codec.decompress(compressed[next], compressed[next].length, back);
        return back;
    }

    /** Decompresses a batch of blocks in one call. */
    @Benchmark
    public ByteBuffer[] decompressBatch() throws Exception {
        for (int i = 0; i < BATCH; i++) {
            next = next + 1 == blocks.length ? 0 : next + 1;
            sources[i] = ByteBuffer.wrap(compressed[next]);
            targets[i].clear();
        }
        inflate.decompressAll(sources, targets);
        return targets;
    }

    /** Runs the table. */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length < 2 || arguments[0].equals("--help")) {
            System.out.println("usage: Blocks TEXT PARQUET [JMH options]\n\n"
                    + "TEXT is a file of text, PARQUET a file without compression. One core: taskset -c 0 java …\n"
                    + "Examples:\n  Blocks dickens lineitem.parquet\n  Blocks dickens lineitem.parquet -p size=4096 -p data=json");
            return;
        }
        run(arguments[0], arguments[1], Arrays.copyOfRange(arguments, 2, arguments.length), System.out);
    }

    private static void run(String text, String parquet, String[] options, PrintStream out)
            throws RunnerException, CommandLineOptionException, IOException {
        for (String file : new String[] {text, parquet}) {
            if (!Files.exists(Paths.get(file))) {
                throw new IOException(file + " does not exist");
            }
        }
        String jvm = "-Dbench.text=" + text + " -Dbench.parquet=" + parquet;
        System.setProperty("bench.text", text);
        System.setProperty("bench.parquet", parquet);
        Collection<RunResult> results = new ArrayList<>();
        OptionsBuilder common = new OptionsBuilder();
        common.parent(new CommandLineOptions(options)).jvmArgsAppend(jvm.split(" ")).forks(1).warmupIterations(3)
                .measurementIterations(5).warmupTime(TimeValue.milliseconds(200)).measurementTime(TimeValue.milliseconds(200))
                .verbosity(VerboseMode.SILENT).shouldFailOnError(true);
        results.addAll(new Runner(new OptionsBuilder().parent(common.build()).include("Blocks.(compress|decompress)$").build()).run());
        results.addAll(new Runner(new OptionsBuilder().parent(common.build()).include("Blocks.decompressBatch$").param("library", "pelton").build()).run());
        print(results, out);
    }

    private static void print(Collection<RunResult> results, PrintStream out) throws IOException {
        TreeMap<String, Double> times = new TreeMap<>();
        List<String> cells = new ArrayList<>();
        for (RunResult result : results) {
            String cell = result.getParams().getParam("data") + " " + result.getParams().getParam("size");
            String library = result.getParams().getParam("library");
            String operation = result.getPrimaryResult().getLabel();
            double time = result.getPrimaryResult().getScore() / (operation.equals("decompressBatch") ? BATCH : 1);
            times.put(cell + " " + library + " " + operation, time);
            if (!cells.contains(cell)) {
                cells.add(cell);
            }
        }
        out.println("MB/s of uncompressed data, and the JDK's time divided by the library's; size in the JDK's.\n");
        out.println("| data | block | library | size | compress | | decompress | | 32 blocks | |");
        out.println("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|");
        for (String cell : cells) {
            String[] parts = cell.split(" ");
            int size = Integer.parseInt(parts[1]);
            byte[][] blocks = cut(parts[0], size);
            double jdkSize = total(blocks, "jdk");
            for (String library : LIBRARIES) {
                StringBuilder row = new StringBuilder(String.format(
                        Locale.ROOT, "| %s | %s | %s | %.3f |", parts[0], size >> 10 == 1024 ? "1 MB" : (size >> 10) + " KB", library,
                        total(blocks, library) / jdkSize));
                for (String operation : new String[] {"compress", "decompress", "decompressBatch"}) {
                    Double time = times.get(cell + " " + library + " " + operation);
                    Double jdk = times.get(cell + " jdk " + operation.replace("Batch", ""));
                    row.append(time == null || jdk == null
                            ? " | |"
                            : String.format(Locale.ROOT, " %.0f | %.2f |", size * 1e3 / time, jdk / time));
                }
                if (times.containsKey(cell + " " + library + " compress")) {
                    out.println(row);
                }
            }
        }
    }

    private static double total(byte[][] blocks, String library) throws IOException {
        try {
            Codec codec = Codec.of(library);
            byte[] target = new byte[2 * blocks[0].length + 1000];
            long total = 0;
            // Twice, as Pelton's choice follows the first blocks.
            for (int round = 0; round < 2; round++) {
                total = 0;
                for (byte[] block : blocks) {
                    total += codec.compress(block, target);
                }
            }
            return total;
        } catch (Exception error) {
            throw new IOException(error);
        }
    }
}
