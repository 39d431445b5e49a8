package org.pelton.servers.cassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.datastax.oss.driver.api.core.CqlSession;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.pelton.servers.Counters;
import org.pelton.servers.JavaProcess;
import org.pelton.servers.Workplace;

/**
 * Tables that Cassandra writes, compacts and reads with the agent or with Pelton's compressor, and
 * then without.
 */
class CassandraTest {
    private static final List<String> STOCK = List.of();
    private static final String KEYSPACE = "shop";
    private static final String TABLE = "events";
    private static final String DEFLATE = "DeflateCompressor";
    private static final String PELTON = "PeltonCompressor";
    private static final int ROWS = 8000;
    private static final int CHANGED = 3000;
    /** Bytes that the rows of one version exceed. */
    private static final long MIN_BYTES = 6_000_000;

    /** Cassandra needs the security manager, which Java 18 and later refuse. */
    @BeforeAll
    static void skipNewerJava() {
        int version = Runtime.version().feature();
        String skip = "skipped: Cassandra 5.0 does not run on Java " + version + ", only on 11 and 17";
        if (version > 17) {
            System.out.println(skip);
        }
        assumeTrue(version <= 17, skip);
    }

    @Test
    void agentWritesTablesThatStockReads() throws Exception {
        Workplace.run(place -> {
            CassandraServer server = new CassandraServer(place, "agent");
            server.start(Workplace.agent());
            try (CqlSession session = server.connect()) {
                Rows rows = new Rows(session, KEYSPACE + "." + TABLE);
                rows.create("{'class': 'DeflateCompressor', 'chunk_length_in_kb': 16}");
                fill(server, rows);
                rows.compare(ROWS, CHANGED);
                server.manage(storage -> storage.forceKeyspaceCompaction(false, KEYSPACE, TABLE));
                server.awaitFiles(KEYSPACE, TABLE, 1);
                rows.compare(ROWS, CHANGED);
            }
            assertEquals(Set.of(DEFLATE), server.compressors(KEYSPACE, TABLE));
            assertServed(server.stop().agentCounters());

            server.start(STOCK);
            compare(server);
            assertStock(server.stop());
        });
    }

    @Test
    void compressorCanBeLeft() throws Exception {
        Workplace.run(place -> {
            CassandraServer server = new CassandraServer(place, "compressor");
            server.start(Workplace.library());
            try (CqlSession session = server.connect()) {
                Rows rows = new Rows(session, KEYSPACE + "." + TABLE);
                rows.create("{'class': '" + PELTON + "', 'chunk_length_in_kb': 16, 'level': 4}");
                fill(server, rows);
                rows.compare(ROWS, CHANGED);
                server.manage(storage -> storage.forceKeyspaceCompaction(false, KEYSPACE, TABLE));
                server.awaitFiles(KEYSPACE, TABLE, 1);
                rows.compare(ROWS, CHANGED);
            }
            assertEquals(Set.of(PELTON), server.compressors(KEYSPACE, TABLE));
            assertServed(server.stop().libraryCounters());

            IllegalStateException refused = assertThrows(IllegalStateException.class, () -> server.start(STOCK));
            assertTrue(refused.getMessage().contains("ended with"), refused::getMessage);
            String missing = "Could not create Compression for type org.apache.cassandra.io.compress." + PELTON;
            assertTrue(server.process().log().contains(missing), server.process().log());

            server.start(Workplace.library());
            try (CqlSession session = server.connect()) {
                Rows rows = new Rows(session, KEYSPACE + "." + TABLE);
                rows.compare(ROWS, CHANGED);
                session.execute("ALTER TABLE " + KEYSPACE + "." + TABLE
                        + " WITH compression = {'class': 'LZ4Compressor', 'chunk_length_in_kb': 16}");
                rows.compare(ROWS, CHANGED);
                server.manage(storage -> storage.upgradeSSTables(KEYSPACE, false, Long.MAX_VALUE, 1, TABLE));
                server.awaitFiles(KEYSPACE, TABLE, 1);
            }
            assertEquals(Set.of("LZ4Compressor"), server.compressors(KEYSPACE, TABLE));
            server.stop();

            server.start(STOCK);
            compare(server);
            assertStock(server.stop());
        });
    }

    private static void compare(CassandraServer server) {
        try (CqlSession session = server.connect()) {
            new Rows(session, KEYSPACE + "." + TABLE).compare(ROWS, CHANGED);
        }
    }

    /** Writes the rows, and some again, with a flush after each. */
    private static void fill(CassandraServer server, Rows rows) throws Exception {
        rows.write(0, ROWS, 0);
        server.manage(storage -> storage.forceKeyspaceFlush(KEYSPACE, TABLE));
        rows.write(0, CHANGED, 1);
        server.manage(storage -> storage.forceKeyspaceFlush(KEYSPACE, TABLE));
        server.awaitFiles(KEYSPACE, TABLE, 2);
    }

    /**
     * Each row is compressed in a flush and in the compaction, and decompressed for it and to be
     * compared.
     */
    private static void assertServed(Counters counters) {
        assertTrue(counters.compressed().bytesIn() > 2 * MIN_BYTES, counters::toString);
        assertTrue(counters.compressed().bytesOut() < counters.compressed().bytesIn(), counters::toString);
        assertTrue(counters.decompressed().bytesOut() > 2 * MIN_BYTES, counters::toString);
    }

    private static void assertStock(JavaProcess process) {
        assertFalse(process.log().contains("pelton:"), process.log());
    }
}
