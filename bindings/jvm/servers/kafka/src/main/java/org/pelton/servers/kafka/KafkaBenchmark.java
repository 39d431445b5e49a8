package org.pelton.servers.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.pelton.servers.Arguments;
import org.pelton.servers.BenchmarkTable;
import org.pelton.servers.JavaProcess;
import org.pelton.servers.Workplace;

/**
 * Benchmark of a producer, a broker and a consumer by compression. Modes take turns, each run in
 * fresh processes.
 *
 * <pre>{@code
 * cd bindings/jvm/servers && mvn -q compile
 * java -cp kafka/target/classes:$(cat kafka/target/class-path) \
 *     -Dpelton.jar=../java/target/pelton.jar org.pelton.servers.kafka.KafkaBenchmark --runs 5
 * }</pre>
 *
 * <p>The agent is in all three processes or in none. A topic has one partition. Latency is that of
 * sends with {@code acks=all} at a fixed rate. It prints a table in Markdown.
 */
public final class KafkaBenchmark {
    private static final String TOPIC = "events";
    private static final String AGENT = "gzip+agent";
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private KafkaBenchmark() {}

    /** Runs the benchmark; the options have defaults. */
    public static void main(String[] arguments) throws Exception {
        Arguments options = new Arguments(
                arguments,
                "runs", "5",
                "modes", "none,gzip," + AGENT + ",lz4,zstd",
                "warmup", "100000",
                "records", "400000",
                "rate", "4000",
                "seconds", "15",
                "records-folder", "");
        BenchmarkTable table = new BenchmarkTable(
                "produced MB/s", "p50 ms", "p99 ms", "consumed MB/s", "producer CPU s/GB", "broker CPU s/GB",
                "consumer CPU s/GB", "ratio");
        for (int run = 1; run <= options.number("runs"); run++) {
            for (String mode : options.list("modes")) {
                Workplace.run(place -> table.add(mode, measure(place, mode, options)));
            }
        }
        String about = "Kafka 4: a producer, a broker and a consumer, each a process on this machine. "
                + "Latency is that of sends with acks=all at a fixed rate. Options: " + options + ".";
        table.report("jvm-kafka", about, options.text("records-folder"));
    }

    private static double[] measure(Workplace place, String mode, Arguments options) throws Exception {
        boolean agent = mode.equals(AGENT);
        String compression = agent ? "gzip" : mode;
        List<String> machine = agent ? Workplace.agent() : List.of();
        int warmup = options.number("warmup");
        int records = options.number("records");

        KafkaServer server = new KafkaServer(place, "broker");
        server.start(machine);
        server.createTopic(TOPIC, 1, Map.of());
        long before = server.process().processorMillis();
        JavaProcess producer = client(
                place, machine, "throughput", server.address(), TOPIC, compression, Integer.toString(warmup),
                Integer.toString(records));
        long brokerMillis = server.process().processorMillis() - before;
        double produced = producer.result("mb");
        // The processor time is that of all records, the warm-up included.
        double gigabytes = produced * (warmup + records) / records / 1e3;
        double stored = storedBytes(server) / 1e9;
        JavaProcess consumer = client(
                place, machine, "consume", server.address(), TOPIC, Integer.toString(warmup + records));
        JavaProcess latency = client(
                place, machine, "latency", server.address(), TOPIC, compression, options.text("seconds"),
                options.text("rate"));
        server.stop();
        if (agent && (producer.agentCounters().compressed().bytesIn() < gigabytes * 1e9
                || consumer.agentCounters().decompressed().bytesOut() < gigabytes * 1e9)) {
            throw new IllegalStateException("the agent did not serve all records");
        }
        return new double[] {
            producer.result("mb_per_s"), latency.result("p50_ms"), latency.result("p99_ms"),
            consumer.result("mb_per_s"),
            producer.result("cpu_s") / gigabytes, brokerMillis / 1e3 / gigabytes, consumer.result("cpu_s") / gigabytes,
            gigabytes / stored,
        };
    }

    private static JavaProcess client(Workplace place, List<String> machine, String... work) throws Exception {
        List<String> options = new ArrayList<>(machine);
        options.add("-Xmx512m");
        List<String> command = new ArrayList<>(List.of(KafkaLoad.class.getName()));
        command.addAll(List.of(work));
        JavaProcess client = place.start(work[0], options, command);
        client.join(LIMIT);
        return client;
    }

    private static long storedBytes(KafkaServer server) throws IOException {
        long bytes = 0;
        for (Path segment : server.segments(TOPIC)) {
            bytes += Files.size(segment);
        }
        return bytes;
    }
}
