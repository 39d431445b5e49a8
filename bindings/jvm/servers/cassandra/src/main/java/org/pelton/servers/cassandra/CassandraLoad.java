package org.pelton.servers.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.BoundStatement;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.ResultSet;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.pelton.servers.Events;
import org.pelton.servers.Latencies;

/**
 * Client of the benchmark, in a process of its own: a table of measurements of machines by time,
 * and a mix of writes and of reads of the ten newest rows of a sensor. It prints its results as
 * lines of {@code name=number}.
 */
public final class CassandraLoad {
    /** Keyspace of the table. */
    static final String KEYSPACE = "metrics";
    /** Name of the table. */
    static final String TABLE = "iot";

    private static final int MACHINES = 500;
    private static final int SENSORS = 10;
    private static final int READ_ROWS = 10;
    private static final int MAX_OPERATIONS = 4_000_000;
    /** Texts that are made before the clock starts. */
    private static final int TEXTS = 20_000;

    private final CqlSession session;
    private final String[] texts = new String[TEXTS];

    private CassandraLoad(CqlSession session) {
        this.session = session;
    }

    /**
     * Runs {@code load PORT THREADS ROWS COMPRESSION} or {@code mix PORT THREADS ROWS WARMUP
     * SECONDS READS}.
     */
    public static void main(String[] arguments) throws Exception {
        int threads = Integer.parseInt(arguments[2]);
        int rows = Integer.parseInt(arguments[3]);
        try (CqlSession session = CassandraServer.connect(Integer.parseInt(arguments[1]))) {
            CassandraLoad load = new CassandraLoad(session);
            Events events = new Events();
            for (int i = 0; i < TEXTS; i++) {
                load.texts[i] = events.text(i);
            }
            switch (arguments[0]) {
                case "load" -> load.load(threads, rows, arguments[4]);
                case "mix" -> load.mix(
                        threads, rows, Integer.parseInt(arguments[4]), Integer.parseInt(arguments[5]),
                        Integer.parseInt(arguments[6]));
                default -> throw new IllegalArgumentException(arguments[0] + " is neither load nor mix");
            }
        }
    }

    private void load(int threads, int rows, String compression) throws Exception {
        session.execute("CREATE KEYSPACE " + KEYSPACE
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE " + KEYSPACE + "." + TABLE
                + " (machine_id uuid, sensor_name text, time timestamp, sensor_value double, station_id uuid,"
                + " data text, PRIMARY KEY ((machine_id, sensor_name), time)) WITH CLUSTERING ORDER BY (time DESC)"
                + " AND compression = " + compression);
        PreparedStatement insert = prepareInsert();
        AtomicInteger next = new AtomicInteger();
        long start = System.nanoTime();
        inThreads(threads, () -> {
            for (int i; (i = next.getAndIncrement()) < rows; ) {
                session.execute(insert(insert, i));
            }
        });
        print("operations_per_s", rows * 1e9 / (System.nanoTime() - start));
    }

    /**
     * Keeps each thread busy with one operation after the other; the first {@code warmup} seconds
     * are not counted.
     */
    private void mix(int threads, int rows, int warmup, int seconds, int reads) throws Exception {
        PreparedStatement insert = prepareInsert();
        PreparedStatement select = session.prepare("SELECT * FROM " + KEYSPACE + "." + TABLE
                + " WHERE machine_id = ? AND sensor_name = ? LIMIT " + READ_ROWS);
        Latencies readTimes = new Latencies(MAX_OPERATIONS);
        Latencies writeTimes = new Latencies(MAX_OPERATIONS);
        AtomicInteger next = new AtomicInteger(rows);
        AtomicInteger all = new AtomicInteger();
        long from = System.nanoTime() + TimeUnit.SECONDS.toNanos(warmup);
        long to = from + TimeUnit.SECONDS.toNanos(seconds);
        inThreads(threads, () -> {
            for (long start; (start = System.nanoTime()) < to; all.incrementAndGet()) {
                boolean reading = ThreadLocalRandom.current().nextInt(100) < reads;
                if (reading) {
                    int series = ThreadLocalRandom.current().nextInt(MACHINES * SENSORS);
                    ResultSet found = session.execute(select.bind(machine(series), sensor(series)));
                    if (found.all().size() != READ_ROWS) {
                        throw new IllegalStateException("a sensor has fewer than " + READ_ROWS + " rows: load at least "
                                + READ_ROWS * MACHINES * SENSORS + " rows");
                    }
                } else {
                    session.execute(insert(insert, next.getAndIncrement()));
                }
                if (start >= from) {
                    (reading ? readTimes : writeTimes).add(System.nanoTime() - start);
                }
            }
        });
        print("operations_per_s", (readTimes.count() + writeTimes.count()) / (double) seconds);
        print("all_operations", all.get());
        print("read_p99_ms", readTimes.percentile(0.99));
        print("write_p99_ms", writeTimes.percentile(0.99));
    }

    private PreparedStatement prepareInsert() {
        return session.prepare("INSERT INTO " + KEYSPACE + "." + TABLE
                + " (machine_id, sensor_name, time, sensor_value, station_id, data) VALUES (?, ?, ?, ?, ?, ?)");
    }

    /**
     * Returns the insertion of a row: the sensors take turns, so that rows of one are spread over
     * all files.
     */
    private BoundStatement insert(PreparedStatement insert, int number) {
        int series = number % (MACHINES * SENSORS);
        Random random = Events.random(number);
        return insert.bind(
                machine(series), sensor(series), Instant.ofEpochMilli(1_767_225_600_000L + 100L * number),
                Math.round(random.nextGaussian() * 1000) / 100.0, new UUID(7, series % 97),
                texts[random.nextInt(TEXTS)]);
    }

    private static UUID machine(int series) {
        Random random = Events.random(series % MACHINES);
        return new UUID(random.nextLong(), random.nextLong());
    }

    private static String sensor(int series) {
        return "sensor-" + series / MACHINES;
    }

    private static void inThreads(int threads, Runnable work) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(executor.submit(work));
            }
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    private static void print(String name, double value) {
        System.out.println(name + "=" + value);
    }
}
