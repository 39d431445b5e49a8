package org.pelton.servers.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.management.JMX;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.apache.cassandra.service.StorageServiceMBean;
import org.pelton.servers.JavaProcess;
import org.pelton.servers.Workplace;

/** Cassandra with one node on 127.0.0.1. Its data stay when it is started again. */
public final class CassandraServer {
    private static final Duration START = Duration.ofSeconds(180);
    private static final Duration REQUEST = Duration.ofSeconds(60);
    private static final String DATA = "-Data.db";
    private static final String METADATA = "-CompressionInfo.db";
    private static final String UP = "Starting listening for CQL clients";
    private static final String[] EXPORTS = {
        "java.base/jdk.internal.misc", "java.base/jdk.internal.ref", "java.base/sun.nio.ch",
        "java.management.rmi/com.sun.jmx.remote.internal.rmi", "java.rmi/sun.rmi.registry", "java.rmi/sun.rmi.server",
        "java.rmi/sun.rmi.transport.tcp", "java.sql/java.sql", "jdk.attach/sun.tools.attach",
    };
    private static final String[] OPENED = {
        "java.base/java.io", "java.base/java.lang", "java.base/java.lang.module", "java.base/java.lang.reflect",
        "java.base/java.net", "java.base/java.nio", "java.base/java.util", "java.base/java.util.concurrent",
        "java.base/java.util.concurrent.atomic", "java.base/jdk.internal.loader", "java.base/jdk.internal.math",
        "java.base/jdk.internal.module", "java.base/jdk.internal.ref", "java.base/jdk.internal.reflect",
        "java.base/jdk.internal.util.jar", "java.base/sun.nio.ch",
        "java.management.rmi/com.sun.jmx.remote.internal.rmi", "jdk.management/com.sun.management.internal",
    };

    private final Workplace place;
    private final Path folder;
    private final int port;
    private final int managementPort;
    private final List<String> machine = new ArrayList<>();
    private JavaProcess process;
    private int starts;

    /** Work with the management interface. */
    @FunctionalInterface
    public interface Management {
        /** Does the work. */
        void run(StorageServiceMBean storage) throws Exception;
    }

    /** A server in a workplace, with no data, that is not started yet. */
    public CassandraServer(Workplace place, String name) throws IOException {
        this.place = place;
        folder = place.newFolder(name);
        int[] ports = Workplace.freePorts(3);
        port = ports[0];
        managementPort = ports[1];
        Path settings = Files.writeString(folder.resolve("cassandra.yaml"), String.join("\n",
                "cluster_name: pelton",
                "num_tokens: 1",
                "partitioner: org.apache.cassandra.dht.Murmur3Partitioner",
                "endpoint_snitch: SimpleSnitch",
                "seed_provider:",
                "  - class_name: org.apache.cassandra.locator.SimpleSeedProvider",
                "    parameters: [{seeds: '127.0.0.1:" + ports[2] + "'}]",
                "listen_address: 127.0.0.1",
                "storage_port: " + ports[2],
                "rpc_address: 127.0.0.1",
                "native_transport_port: " + port,
                "commitlog_sync: periodic",
                "commitlog_sync_period: 10000ms",
                "commitlog_segment_size: 8MiB",
                "commitlog_total_space: 256MiB",
                "memtable_heap_space: 64MiB",
                "memtable_offheap_space: 64MiB",
                "file_cache_size: 32MiB",
                "concurrent_compactors: 1",
                "auto_snapshot: false",
                // The default flushes with LZ4 if the table's compressor is not a fast one.
                "flush_compression: table",
                ""));
        for (String packages : EXPORTS) {
            machine.add("--add-exports=" + packages + "=ALL-UNNAMED");
        }
        for (String packages : OPENED) {
            machine.add("--add-opens=" + packages + "=ALL-UNNAMED");
        }
        machine.addAll(List.of(
                "-Xms512m", "-Xmx512m",
                "-Djdk.attach.allowAttachSelf=true",
                "-Djava.io.tmpdir=" + Files.createDirectory(folder.resolve("tmp")),
                "-Dcassandra.config=" + settings.toUri(),
                "-Dcassandra.storagedir=" + folder,
                "-Dcassandra.jmx.local.port=" + managementPort,
                "-Dcassandra.skip_wait_for_gossip_to_settle=0",
                "-Dcassandra.ring_delay_ms=100",
                "-Dcassandra-foreground=yes"));
    }

    /** Starts the server with options of the virtual machine, and waits until it is up. */
    public void start(List<String> options) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(options);
        all.addAll(machine);
        starts++;
        process = place.start(
                folder.getFileName() + "-" + starts, all, List.of("org.apache.cassandra.service.CassandraDaemon"));
        process.await(UP, START);
        process.await("Startup complete", START);
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

    /** Returns the port for clients. */
    public int port() {
        return port;
    }

    /** Connects a client. */
    public CqlSession connect() {
        return connect(port);
    }

    /** Connects a client to a port of 127.0.0.1. */
    public static CqlSession connect(int port) {
        return CqlSession.builder()
                .addContactPoint(new InetSocketAddress("127.0.0.1", port))
                .withLocalDatacenter("datacenter1")
                .withConfigLoader(DriverConfigLoader.programmaticBuilder()
                        .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, REQUEST)
                        .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, REQUEST)
                        .build())
                .build();
    }

    /** Does work with the management interface, as {@code nodetool} does. */
    public void manage(Management work) throws Exception {
        JMXServiceURL address =
                new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + managementPort + "/jmxrmi");
        try (JMXConnector connector = JMXConnectorFactory.connect(address)) {
            work.run(JMX.newMBeanProxy(
                    connector.getMBeanServerConnection(),
                    new ObjectName("org.apache.cassandra.db:type=StorageService"),
                    StorageServiceMBean.class));
        }
    }

    /** Returns the names of compressors in the files of a table. */
    public Set<String> compressors(String keyspace, String table) throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path file : files(keyspace, table, METADATA)) {
            try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
                names.add(in.readUTF());
            }
        }
        return names;
    }

    /**
     * Waits until a table has a number of files of data: those that a compaction replaces are
     * deleted a little later.
     *
     * @throws IllegalStateException if it has another number for a minute
     */
    public void awaitFiles(String keyspace, String table, int count) throws IOException, InterruptedException {
        long end = System.nanoTime() + REQUEST.toNanos();
        while (files(keyspace, table, DATA).size() != count || files(keyspace, table, METADATA).size() != count) {
            if (System.nanoTime() > end) {
                throw new IllegalStateException(
                        keyspace + "." + table + " has not " + count + " files but " + files(keyspace, table, DATA));
            }
            Thread.sleep(100);
        }
    }

    /** Returns the ratio of uncompressed to compressed bytes in the files of a table's data. */
    public double ratio(String keyspace, String table) throws IOException {
        long uncompressed = 0;
        long compressed = 0;
        for (Path file : files(keyspace, table, METADATA)) {
            Path data = file.resolveSibling(file.getFileName().toString().replace(METADATA, DATA));
            try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
                in.readUTF();
                for (int options = in.readInt(); options > 0; options--) {
                    in.readUTF();
                    in.readUTF();
                }
                // The length of chunks, and the length from which one is stored.
                in.readInt();
                in.readInt();
                long length = in.readLong();
                compressed += Files.size(data);
                uncompressed += length;
            } catch (NoSuchFileException replaced) {
                // A compaction is done with it.
            }
        }
        return uncompressed / (double) compressed;
    }

    private List<Path> files(String keyspace, String table, String ending) throws IOException {
        List<Path> files = new ArrayList<>();
        // Each version of a table has a folder. Files may go at any time, so only their names are
        // read.
        try (Stream<Path> folders = Files.list(folder.resolve("data").resolve(keyspace))) {
            folders.filter(tables -> tables.getFileName().toString().startsWith(table + "-")).forEach(tables -> {
                for (String name : tables.toFile().list((parent, name) -> name.endsWith(ending))) {
                    files.add(tables.resolve(name));
                }
            });
        }
        return files;
    }
}
