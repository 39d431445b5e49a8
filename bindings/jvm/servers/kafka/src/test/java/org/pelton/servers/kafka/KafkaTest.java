package org.pelton.servers.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.FileRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.junit.jupiter.api.Test;
import org.pelton.servers.Counters;
import org.pelton.servers.JavaProcess;
import org.pelton.servers.Workplace;

/**
 * Records through a broker, producers and consumers, each with and without the agent. Consumers
 * compare all of them.
 */
class KafkaTest {
    private static final List<String> STOCK = List.of();
    private static final int RECORDS = 6000;
    private static final int PARTITIONS = 3;
    /** Bytes that all records together exceed. */
    private static final long MIN_BYTES = 6_000_000;
    private static final Duration LIMIT = Duration.ofSeconds(120);

    private int clients;

    @Test
    void stockBrokerServesClientsWithAgent() throws Exception {
        Workplace.run(place -> {
            KafkaServer server = new KafkaServer(place, "stock-broker");
            server.start(STOCK);
            server.createTopic("from-agent", PARTITIONS, Map.of());
            server.createTopic("from-stock", PARTITIONS, Map.of());

            assertCompressed(produce(place, server, "from-agent", "gzip", Workplace.agent()).agentCounters());
            consume(place, server, "from-agent", STOCK);

            produce(place, server, "from-stock", "gzip", STOCK);
            assertDecompressed(consume(place, server, "from-stock", Workplace.agent()).agentCounters());

            server.stop();
            assertEquals(EnumSet.of(CompressionType.GZIP), compressionTypes(server, "from-agent"));
            assertEquals(EnumSet.of(CompressionType.GZIP), compressionTypes(server, "from-stock"));
        });
    }

    @Test
    void brokerWithAgentServesStockClients() throws Exception {
        Workplace.run(place -> {
            KafkaServer server = new KafkaServer(place, "agent-broker");
            server.start(Workplace.agent());
            server.createTopic("validated", PARTITIONS, Map.of("compression.type", "producer"));
            server.createTopic("recompressed", PARTITIONS, Map.of("compression.type", "gzip"));

            produce(place, server, "validated", "gzip", STOCK);
            consume(place, server, "validated", STOCK);
            produce(place, server, "recompressed", "none", STOCK);
            consume(place, server, "recompressed", STOCK);

            Counters counters = server.stop().agentCounters();
            assertDecompressed(counters);
            assertCompressed(counters);
            assertEquals(EnumSet.of(CompressionType.GZIP), compressionTypes(server, "validated"));
            assertEquals(EnumSet.of(CompressionType.GZIP), compressionTypes(server, "recompressed"));

            // The files stay readable without the agent.
            server.start(STOCK);
            consume(place, server, "recompressed", STOCK);
            assertNoAgent(server.stop());
        });
    }

    @Test
    void agentServesBrokerAndClients() throws Exception {
        Workplace.run(place -> {
            KafkaServer server = new KafkaServer(place, "agent-everywhere");
            server.start(Workplace.agent());
            server.createTopic("levels", PARTITIONS, Map.of("compression.type", "gzip", "compression.gzip.level", "9"));

            assertCompressed(produce(place, server, "levels", "gzip", Workplace.agent()).agentCounters());
            assertDecompressed(consume(place, server, "levels", Workplace.agent()).agentCounters());

            assertDecompressed(server.stop().agentCounters());
            assertEquals(EnumSet.of(CompressionType.GZIP), compressionTypes(server, "levels"));
        });
    }

    private JavaProcess produce(
            Workplace place, KafkaServer server, String topic, String compression, List<String> options)
            throws Exception {
        return client(place, options, "produce", server.address(), topic, compression);
    }

    private JavaProcess consume(Workplace place, KafkaServer server, String topic, List<String> options)
            throws Exception {
        return client(place, options, "consume", server.address(), topic, Integer.toString(PARTITIONS));
    }

    /** Runs a client to its end. One without the agent must not have its table. */
    private JavaProcess client(
            Workplace place, List<String> options, String work, String address, String topic, String last)
            throws Exception {
        clients++;
        JavaProcess client = place.start(work + "-" + topic + "-" + clients, options, List.of(
                KafkaClient.class.getName(), work, address, topic, Integer.toString(RECORDS), last));
        client.join(LIMIT);
        String done = work.equals("produce") ? "produced " : "compared ";
        assertTrue(client.log().contains(done + RECORDS), client.log());
        if (options.equals(STOCK)) {
            assertNoAgent(client);
        }
        return client;
    }

    private static void assertCompressed(Counters counters) {
        assertTrue(counters.compressed().bytesIn() > MIN_BYTES, counters::toString);
        assertTrue(counters.compressed().bytesOut() < counters.compressed().bytesIn(), counters::toString);
    }

    private static void assertDecompressed(Counters counters) {
        assertTrue(counters.decompressed().bytesOut() > MIN_BYTES, counters::toString);
    }

    private static void assertNoAgent(JavaProcess process) {
        assertFalse(process.log().contains("pelton"), process.log());
    }

    /** Returns how the batches in a topic's files are compressed. */
    private static Set<CompressionType> compressionTypes(KafkaServer server, String topic) throws IOException {
        Set<CompressionType> types = EnumSet.noneOf(CompressionType.class);
        for (Path segment : server.segments(topic)) {
            try (FileRecords records = FileRecords.open(segment.toFile(), false)) {
                for (RecordBatch batch : records.batches()) {
                    types.add(batch.compressionType());
                }
            }
        }
        return types;
    }
}
