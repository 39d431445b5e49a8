package org.pelton.servers.cassandra;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.pelton.servers.Arguments;
import org.pelton.servers.BenchmarkTable;
import org.pelton.servers.Counters;
import org.pelton.servers.JavaProcess;
import org.pelton.servers.Workplace;

/**
 * Benchmark of Cassandra by the compression of a table of time series: reads and writes while
 * memtables are flushed and files are compacted. Modes take turns, each run with a new server.
 *
 * <pre>{@code
 * cd bindings/jvm/servers && mvn -q compile
 * java -cp cassandra/target/classes:$(cat cassandra/target/class-path) \
 *     -Dpelton.jar=../java/target/pelton.jar \
 *     org.pelton.servers.cassandra.CassandraBenchmark --runs 5
 * }</pre>
 *
 * <p>{@code --reads} is their share in the mix, in percent. A number of threads keeps one operation
 * each in flight. Processor time is the server's, of both threads that serve requests and threads
 * that flush and compact. The ratio is that of the table's files at the end. It prints a table in
 * Markdown.
 */
public final class CassandraBenchmark {
    private static final Duration LIMIT = Duration.ofMinutes(20);
    private static final String AGENT = "deflate+agent";
    private static final String PELTON = "pelton";
    private static final Map<String, String> CLASSES = Map.of(
            "deflate", "DeflateCompressor",
            AGENT, "DeflateCompressor",
            PELTON, "PeltonCompressor",
            "lz4", "LZ4Compressor",
            "zstd", "ZstdCompressor");

    private CassandraBenchmark() {}

    /** Runs the benchmark; the options have defaults. */
    public static void main(String[] arguments) throws Exception {
        Arguments options = new Arguments(
                arguments,
                "runs", "5",
                "modes", "deflate," + AGENT + "," + PELTON + ",lz4,zstd",
                "chunk", "16",
                "rows", "200000",
                "threads", "16",
                "reads", "80",
                "warmup", "15",
                "seconds", "45",
                "records-folder", "");
        BenchmarkTable table = new BenchmarkTable(
                "loaded rows/s", "load CPU us/row", "mixed op/s", "read p99 ms", "write p99 ms", "mixed CPU us/op",
                "ratio");
        for (int run = 1; run <= options.number("runs"); run++) {
            for (String mode : options.list("modes")) {
                Workplace.run(place -> table.add(mode, measure(place, mode, options)));
            }
        }
        String about = "Cassandra 5.0: a server and a client, processes on this machine; reads and writes "
                + "while memtables are flushed and files are compacted. Options: " + options + ".";
        table.report("jvm-cassandra", about, options.text("records-folder"));
    }

    private static double[] measure(Workplace place, String mode, Arguments options) throws Exception {
        List<String> machine = switch (mode) {
            case AGENT -> Workplace.agent();
            case PELTON -> Workplace.library();
            default -> List.of();
        };
        String compression =
                "{'class': '" + CLASSES.get(mode) + "', 'chunk_length_in_kb': " + options.number("chunk") + "}";
        int rows = options.number("rows");

        CassandraServer server = new CassandraServer(place, "server");
        server.start(machine);
        long start = server.process().processorMillis();
        JavaProcess load = client(place, server, "load", options.text("threads"), options.text("rows"), compression);
        server.manage(storage -> storage.forceKeyspaceFlush(CassandraLoad.KEYSPACE, CassandraLoad.TABLE));
        long loaded = server.process().processorMillis();
        JavaProcess mix = client(
                place, server, "mix", options.text("threads"), options.text("rows"), options.text("warmup"),
                options.text("seconds"), options.text("reads"));
        server.manage(storage -> storage.forceKeyspaceFlush(CassandraLoad.KEYSPACE, CassandraLoad.TABLE));
        long mixed = server.process().processorMillis();
        double ratio = server.ratio(CassandraLoad.KEYSPACE, CassandraLoad.TABLE);
        JavaProcess stopped = server.stop();
        if (!machine.isEmpty()) {
            Counters counters = mode.equals(AGENT) ? stopped.agentCounters() : stopped.libraryCounters();
            if (counters.compressed().bytesIn() < 500L * rows || counters.decompressed().bytesOut() < 500L * rows) {
                throw new IllegalStateException("Pelton did not serve all chunks: " + counters);
            }
        }
        return new double[] {
            load.result("operations_per_s"), (loaded - start) * 1e3 / rows, mix.result("operations_per_s"),
            mix.result("read_p99_ms"), mix.result("write_p99_ms"),
            (mixed - loaded) * 1e3 / mix.result("all_operations"), ratio,
        };
    }

    private static JavaProcess client(Workplace place, CassandraServer server, String work, String... arguments)
            throws Exception {
        List<String> command = new ArrayList<>(List.of(CassandraLoad.class.getName(), work));
        command.add(Integer.toString(server.port()));
        command.addAll(List.of(arguments));
        JavaProcess client = place.start(work, List.of("-Xmx512m"), command);
        client.join(LIMIT);
        return client;
    }
}
