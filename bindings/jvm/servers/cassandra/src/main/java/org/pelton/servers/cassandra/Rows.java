package org.pelton.servers.cassandra;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.cql.AsyncResultSet;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import com.datastax.oss.driver.api.core.cql.SimpleStatement;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import org.pelton.servers.Events;

/** Rows of a table that follow from their number, so that a reader can compare them. */
public final class Rows {
    /** Rows in a partition. */
    private static final int PARTITION = 500;
    private static final int IN_FLIGHT = 128;
    private static final int NOISE = 200;

    private final Events events = new Events();
    private final CqlSession session;
    private final String table;

    /** Rows of a table, with its keyspace in the name. */
    public Rows(CqlSession session, String table) {
        this.session = session;
        this.table = table;
    }

    /** Creates the keyspace and the table with a compression, in CQL. */
    public void create(String compression) {
        String keyspace = table.substring(0, table.indexOf('.'));
        session.execute("CREATE KEYSPACE IF NOT EXISTS " + keyspace
                + " WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}");
        session.execute("CREATE TABLE " + table
                + " (part int, number int, version int, body text, noise blob, PRIMARY KEY (part, number))"
                + " WITH compression = " + compression);
    }

    /** Writes a version of rows. */
    public void write(int from, int to, int version) {
        PreparedStatement insert = session.prepare(
                "INSERT INTO " + table + " (part, number, version, body, noise) VALUES (?, ?, ?, ?, ?)");
        Queue<CompletionStage<AsyncResultSet>> sent = new ArrayDeque<>();
        for (int i = from; i < to; i++) {
            if (sent.size() == IN_FLIGHT) {
                sent.remove().toCompletableFuture().join();
            }
            sent.add(session.executeAsync(insert.bind(i / PARTITION, i, version, body(i, version), noise(i, version))));
        }
        sent.forEach(result -> result.toCompletableFuture().join());
    }

    /**
     * Reads all rows and compares them.
     *
     * @param count the number of rows, numbered from 0
     * @param changed rows below it have version 1, and the others version 0
     * @throws IllegalStateException if a row is missing, is new, or differs
     */
    public void compare(int count, int changed) {
        BitSet seen = new BitSet();
        for (Row row : session.execute(SimpleStatement.newInstance("SELECT * FROM " + table).setPageSize(500))) {
            int number = row.getInt("number");
            int version = number < changed ? 1 : 0;
            boolean same = row.getInt("part") == number / PARTITION
                    && row.getInt("version") == version
                    && body(number, version).equals(row.getString("body"))
                    && noise(number, version).equals(row.getByteBuffer("noise"));
            if (!same || seen.get(number)) {
                throw new IllegalStateException("row " + number + " of " + table + " differs or comes twice");
            }
            seen.set(number);
        }
        if (seen.cardinality() != count || seen.length() != count) {
            throw new IllegalStateException(table + " has " + seen.cardinality() + " rows in place of " + count);
        }
    }

    private String body(int number, int version) {
        return events.text(2L * number + version);
    }

    private ByteBuffer noise(int number, int version) {
        return ByteBuffer.wrap(events.noise(2L * number + version, number % 7 == 0 ? NOISE : 0));
    }
}
