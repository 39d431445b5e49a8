package org.pelton.servers.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.pelton.servers.Events;

/**
 * Client in a process of its own: produces records that follow from their number, or consumes and
 * compares them.
 */
public final class KafkaClient {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int NOISE = 60_000;
    private static final String NUMBER = "number";

    private final Events events = new Events();
    private final String address;

    private KafkaClient(String address) {
        this.address = address;
    }

    /**
     * Runs {@code produce ADDRESS TOPIC COUNT COMPRESSION} or {@code consume ADDRESS TOPIC COUNT
     * PARTITIONS}.
     */
    public static void main(String[] arguments) throws Exception {
        KafkaClient client = new KafkaClient(arguments[1]);
        String topic = arguments[2];
        int count = Integer.parseInt(arguments[3]);
        switch (arguments[0]) {
            case "produce" -> client.produce(topic, count, arguments[4]);
            case "consume" -> client.consume(topic, count, Integer.parseInt(arguments[4]));
            default -> throw new IllegalArgumentException(arguments[0] + " is neither produce nor consume");
        }
    }

    private void produce(String topic, int count, String compression) throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", address,
                "acks", "all",
                "compression.type", compression,
                "linger.ms", 20,
                "batch.size", 65536,
                "key.serializer", ByteArraySerializer.class,
                "value.serializer", ByteArraySerializer.class);
        try (Producer<byte[], byte[]> producer = new KafkaProducer<>(settings)) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(topic, key(i), value(i));
                record.headers().add(NUMBER, Integer.toString(i).getBytes());
                sent.add(producer.send(record));
            }
            producer.flush();
            for (Future<RecordMetadata> future : sent) {
                future.get();
            }
        }
        System.out.println("produced " + count);
    }

    private void consume(String topic, int count, int partitions) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", address,
                "auto.offset.reset", "earliest",
                "check.crcs", true,
                "key.deserializer", ByteArrayDeserializer.class,
                "value.deserializer", ByteArrayDeserializer.class);
        List<TopicPartition> all = new ArrayList<>();
        for (int i = 0; i < partitions; i++) {
            all.add(new TopicPartition(topic, i));
        }
        BitSet seen = new BitSet();
        int[] last = new int[partitions];
        Arrays.fill(last, -1);
        try (Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings)) {
            consumer.assign(all);
            consumer.seekToBeginning(all);
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (seen.cardinality() < count) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofMillis(200))) {
                    int number = compare(record);
                    if (seen.get(number) || number <= last[record.partition()]) {
                        throw new IllegalStateException("record " + number + " comes twice or out of order");
                    }
                    seen.set(number);
                    last[record.partition()] = number;
                }
                if (System.nanoTime() > deadline) {
                    throw new IllegalStateException("only " + seen.cardinality() + " of " + count + " records came");
                }
            }
        }
        if (seen.length() != count) {
            throw new IllegalStateException("record " + (seen.length() - 1) + " is not one of " + count);
        }
        System.out.println("compared " + count);
    }

    private int compare(ConsumerRecord<byte[], byte[]> record) {
        Header header = record.headers().lastHeader(NUMBER);
        int number = Integer.parseInt(new String(header.value()));
        if (!Arrays.equals(key(number), record.key())) {
            throw new IllegalStateException("record " + number + " has another key");
        }
        if (!Arrays.equals(value(number), record.value())) {
            throw new IllegalStateException("record " + number + " has another value");
        }
        return number;
    }

    private static byte[] key(int number) {
        return number % 3 == 0 ? null : ("user-" + number % 1000).getBytes();
    }

    private byte[] value(int number) {
        if (number % 89 == 0) {
            return null;
        }
        if (number % 97 == 0) {
            return new byte[0];
        }
        return number % 101 == 0 ? events.noise(number, NOISE) : events.event(number);
    }
}
