package org.pelton.servers;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counters of what Pelton served in a process, from the table that it printed at exit.
 *
 * @param compressed calls that compress
 * @param decompressed calls that decompress
 */
public record Counters(Row compressed, Row decompressed) {
    /**
     * Counters of one operation.
     *
     * @param bytesIn bytes that were read
     * @param bytesOut bytes that were written
     */
    public record Row(long calls, long bytesIn, long bytesOut) {}

    /**
     * Finds the agent's table, of calls of {@code java.util.zip}.
     *
     * @throws IllegalStateException if the log has none
     */
    static Counters ofAgent(String log) {
        return new Counters(
                row(log, "Deflater +\\d+ +(\\d+) +(\\d+) +(\\d+) +\\d+"),
                row(log, "Inflater +\\d+ +(\\d+) +(\\d+) +(\\d+) +\\d+"));
    }

    /**
     * Finds the library's table, of blocks.
     *
     * @throws IllegalStateException if the log has none
     */
    static Counters ofLibrary(String log) {
        return new Counters(
                row(log, " +deflate one-shot +\\D+(\\d+) +(\\d+) +(\\d+) +\\S+ +\\d+"),
                row(log, " +inflate one-shot +\\D+(\\d+) +(\\d+) +(\\d+) +\\S+ +\\d+"));
    }

    private static Row row(String log, String pattern) {
        Matcher row = Pattern.compile("(?m)^" + pattern + "$").matcher(log);
        if (!row.find()) {
            throw new IllegalStateException("the log has no line that matches " + pattern);
        }
        return new Row(Long.parseLong(row.group(1)), Long.parseLong(row.group(2)), Long.parseLong(row.group(3)));
    }
}
