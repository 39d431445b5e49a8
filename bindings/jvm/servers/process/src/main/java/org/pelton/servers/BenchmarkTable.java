package org.pelton.servers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Results of a benchmark by mode and column, of several runs each. */
public final class BenchmarkTable {
    private final List<String> columns;
    private final Map<String, List<double[]>> rows = new LinkedHashMap<>();

    /** A table with columns, whose names have the units. */
    public BenchmarkTable(String... columns) {
        this.columns = List.of(columns);
    }

    /** Adds a run of a mode, with a value for each column. */
    public void add(String mode, double... values) {
        if (values.length != columns.size()) {
            throw new IllegalArgumentException(values.length + " values for " + columns);
        }
        rows.computeIfAbsent(mode, name -> new ArrayList<>()).add(values);
        System.err.println(mode + ": " + columns + " = " + Arrays.toString(values));
    }

    /**
     * Returns the table in Markdown: the median of the runs, and their range if there are several.
     */
    public String markdown() {
        StringBuilder text = new StringBuilder("| mode | " + String.join(" | ", columns) + " |\n|---|");
        text.append("---:|".repeat(columns.size())).append('\n');
        rows.forEach((mode, runs) -> {
            text.append("| ").append(mode).append(" |");
            for (int i = 0; i < columns.size(); i++) {
                int column = i;
                double[] values = runs.stream().mapToDouble(run -> run[column]).sorted().toArray();
                text.append(' ').append(number(median(values)));
                if (values.length > 1) {
                    text.append(" (").append(number(values[0])).append('-');
                    text.append(number(values[values.length - 1])).append(')');
                }
                text.append(" |");
            }
            text.append('\n');
        });
        return text.toString();
    }

    private static double median(double[] sorted) {
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Returns a number with three digits or more. */
    private static String number(double value) {
        return String.format(Locale.ROOT, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
    }
}
