package org.pelton.servers.kafka;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.pelton.servers.Events;
import org.pelton.servers.Latencies;

/**
 * Client of the benchmark, in a process of its own. It prints its results as lines of {@code
 * name=number}.
 */
public final class KafkaLoad {
    /**
     * Events that are made before the clock starts, and sent in turn. They are many times what a
     * batch holds.
     */
    private static final int EVENTS = 20_000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final byte[][] events = new byte[EVENTS][];
    private final String address;
    private final String topic;
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    private KafkaLoad(String address, String topic) {
        this.address = address;
        this.topic = topic;
        Events source = new Events();
        for (int i = 0; i < EVENTS; i++) {
            events[i] = source.event(i);
        }
    }

    /**
     * Runs {@code throughput ADDRESS TOPIC COMPRESSION WARMUP RECORDS}, {@code latency ADDRESS
     * TOPIC COMPRESSION SECONDS RATE} or {@code consume ADDRESS TOPIC RECORDS}.
     */
    public static void main(String[] arguments) throws Exception {
        KafkaLoad load = new KafkaLoad(arguments[1], arguments[2]);
        switch (arguments[0]) {
            case "throughput" ->
                load.measureThroughput(arguments[3], Integer.parseInt(arguments[4]), Integer.parseInt(arguments[5]));
            case "latency" ->
                load.measureLatency(arguments[3], Integer.parseInt(arguments[4]), Integer.parseInt(arguments[5]));
            case "consume" -> load.consume(Integer.parseInt(arguments[3]));
            default -> throw new IllegalArgumentException("unknown work: " + arguments[0]);
        }
        OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        print("cpu_s", system.getProcessCpuTime() / 1e9);
    }

    /** Sends as fast as the producer takes the records. */
    private void measureThroughput(String compression, int warmup, int records) throws Exception {
        try (Producer<byte[], byte[]> producer = producer(compression)) {
            send(producer, warmup);
            long start = System.nanoTime();
            long bytes = send(producer, records);
            print("mb_per_s", bytes * 1e3 / (System.nanoTime() - start));
            print("mb", bytes / 1e6);
        }
    }

    private long send(Producer<byte[], byte[]> producer, int records) throws Exception {
        long bytes = 0;
        for (int i = 0; i < records; i++) {
            byte[] event = events[i % EVENTS];
            bytes += event.length;
            producer.send(new ProducerRecord<>(topic, event), (metadata, error) -> failure.compareAndSet(null, error));
        }
        producer.flush();
        check();
        return bytes;
    }

    /**
     * Sends at a rate below what the producer can do, and measures from the time when a record was
     * due until all replicas have it. A first third of the records is not counted.
     */
    private void measureLatency(String compression, int seconds, int rate) throws Exception {
        int records = seconds * rate;
        Latencies latencies = new Latencies(records);
        try (Producer<byte[], byte[]> producer = producer(compression)) {
            long start = System.nanoTime();
            for (int i = 0; i < records; i++) {
                long due = start + i * 1_000_000_000L / rate;
                for (long left; (left = due - System.nanoTime()) > 0; ) {
                    LockSupport.parkNanos(left);
                }
                boolean counts = i >= records / 3;
                Callback done = (metadata, error) -> {
                    failure.compareAndSet(null, error);
                    if (counts) {
                        latencies.add(System.nanoTime() - due);
                    }
                };
                producer.send(new ProducerRecord<>(topic, events[i % EVENTS]), done);
            }
            producer.flush();
        }
        check();
        print("p50_ms", latencies.percentile(0.5));
        print("p99_ms", latencies.percentile(0.99));
    }

    /** Reads from the start of the topic; the clock starts with the first record. */
    private void consume(int records) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", address,
                "key.deserializer", ByteArrayDeserializer.class,
                "value.deserializer", ByteArrayDeserializer.class);
        TopicPartition partition = new TopicPartition(topic, 0);
        try (Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.assign(Set.of(partition));
            consumer.seekToBeginning(Set.of(partition));
            long limit = System.nanoTime() + PATIENCE.toNanos();
            long start = 0;
            long bytes = 0;
            for (int seen = 0; seen < records; ) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    start = start == 0 ? System.nanoTime() : start;
                    bytes += record.value().length;
                    seen++;
                }
                if (System.nanoTime() > limit) {
                    throw new IllegalStateException("only " + seen + " of " + records + " records came");
                }
            }
            print("mb_per_s", bytes * 1e3 / (System.nanoTime() - start));
        }
    }

    private Producer<byte[], byte[]> producer(String compression) {
        return new KafkaProducer<>(Map.of(
                "bootstrap.servers", address,
                "acks", "all",
                "compression.type", compression,
                "linger.ms", 5,
                "batch.size", 65536,
                "key.serializer", ByteArraySerializer.class,
                "value.serializer", ByteArraySerializer.class));
    }

    private void check() throws Exception {
        if (failure.get() != null) {
            throw failure.get();
        }
    }

    private static void print(String name, double value) {
        System.out.println(name + "=" + value);
    }
}
