package org.pelton.servers.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.pelton.servers.JavaProcess;
import org.pelton.servers.Workplace;

/**
 * Kafka with one node, broker and controller at once, on 127.0.0.1. Its data stay when it is
 * started again.
 */
public final class KafkaServer {
    private static final Duration START = Duration.ofSeconds(120);

    private final Workplace place;
    private final Path data;
    private final Path settings;
    private final String address;
    private JavaProcess process;
    private int starts;

    /** A server in a workplace, with formatted storage, that is not started yet. */
    public KafkaServer(Workplace place, String name) throws IOException, InterruptedException {
        this.place = place;
        int[] ports = Workplace.freePorts(2);
        address = "127.0.0.1:" + ports[0];
        Path folder = place.newFolder(name);
        data = folder.resolve("data");
        settings = Files.writeString(folder.resolve("server.properties"), String.join("\n",
                "process.roles=broker,controller",
                "node.id=1",
                "listeners=PLAINTEXT://" + address + ",CONTROLLER://127.0.0.1:" + ports[1],
                "advertised.listeners=PLAINTEXT://" + address,
                "controller.listener.names=CONTROLLER",
                "controller.quorum.voters=1@127.0.0.1:" + ports[1],
                "log.dirs=" + data,
                "auto.create.topics.enable=false",
                "offsets.topic.num.partitions=1",
                "offsets.topic.replication.factor=1",
                "transaction.state.log.replication.factor=1",
                "transaction.state.log.min.isr=1",
                ""));
        place.start(name + "-format", List.of("-XX:TieredStopAtLevel=1"), List.of(
                        "kafka.tools.StorageTool", "format", "-t", Uuid.randomUuid().toString(), "-c",
                        settings.toString()))
                .join(START);
    }

    /** Starts the server with options of the virtual machine, and waits until it is up. */
    public void start(List<String> options) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(options);
        all.addAll(List.of("-Xms512m", "-Xmx512m"));
        starts++;
        process = place.start(
                settings.getParent().getFileName() + "-" + starts, all, List.of("kafka.Kafka", settings.toString()));
        process.await("Kafka Server started", START);
    }

    /** Stops the server in order, and returns its process, which has the log. */
    public JavaProcess stop() throws InterruptedException {
        process.stop();
        return process;
    }

    /** Returns the process that was started last. */
    public JavaProcess process() {
        return process;
    }

    /** Returns the address for clients. */
    public String address() {
        return address;
    }

    /** Creates a topic. */
    public void createTopic(String name, int partitions, Map<String, String> settings) throws Exception {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, address))) {
            admin.createTopics(Set.of(new NewTopic(name, partitions, (short) 1).configs(settings))).all().get();
        }
    }

    /** Returns the files of a topic's records. */
    public List<Path> segments(String topic) throws IOException {
        try (Stream<Path> files = Files.walk(data)) {
            return files.filter(file -> file.toString().endsWith(".log"))
                    .filter(file -> file.getParent().getFileName().toString().matches(topic + "-\\d+"))
                    .toList();
        }
    }
}
