package org.pelton.servers;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counters of the agent: calls of {@code java.util.zip} that Pelton served.
 *
 * @param deflater calls that compress
 * @param inflater calls that decompress
 */
public record ZipCounters(Row deflater, Row inflater) {
    /**
     * Counters of one class.
     *
     * @param streams streams that were opened
     * @param bytesIn bytes that were read
     * @param bytesOut bytes that were written
     */
    public record Row(long streams, long calls, long bytesIn, long bytesOut) {}

    /**
     * Finds the agent's table in a log.
     *
     * @throws IllegalStateException if it has none
     */
    static ZipCounters parse(String log) {
        if (!log.contains("pelton: java.util.zip" + System.lineSeparator())) {
            throw new IllegalStateException("the log has no table of the agent");
        }
        return new ZipCounters(row(log, "Deflater"), row(log, "Inflater"));
    }

    private static Row row(String log, String name) {
        Matcher row = Pattern.compile("(?m)^" + name + " +(\\d+) +(\\d+) +(\\d+) +(\\d+) +\\d+$").matcher(log);
        if (!row.find()) {
            throw new IllegalStateException("the agent's table has no row of " + name);
        }
        return new Row(
                Long.parseLong(row.group(1)), Long.parseLong(row.group(2)), Long.parseLong(row.group(3)),
                Long.parseLong(row.group(4)));
    }
}
