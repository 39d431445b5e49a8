package org.pelton.servers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
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

    /**
     * Prints the table and, if a folder of records is given, writes it to a file there, in a folder
     * named after the day and the processor.
     *
     * @param name name of the record
     * @param about what was measured, and how
     * @param records the folder of records, or an empty text
     */
    public void report(String name, String about, String records) throws IOException {
        ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
        String processor = processor();
        String text = "# " + name + "\n\n" + now.format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm")) + " UTC, on "
                + processor + ", " + Runtime.getRuntime().availableProcessors() + " cores, Java "
                + System.getProperty("java.version") + " (" + System.getProperty("java.vendor") + "). " + about
                + " Medians of the runs, and their range.\n\n" + markdown();
        System.out.print(text);
        if (!records.isEmpty()) {
            String machine = String.join("-", processor.toLowerCase(Locale.ROOT).split("[^a-z0-9]+"));
            Path folder = Path.of(records, now.format(DateTimeFormatter.ISO_LOCAL_DATE) + "-" + machine);
            Files.createDirectories(folder);
            Files.writeString(folder.resolve(name + ".md"), text);
        }
    }

    private static String processor() throws IOException {
        Path about = Path.of("/proc/cpuinfo");
        List<String> lines = Files.exists(about) ? Files.readAllLines(about) : List.of();
        return lines.stream().filter(line -> line.startsWith("model name")).findFirst()
                .map(line -> line.substring(line.indexOf(':') + 1).trim())
                .orElse(System.getProperty("os.arch"));
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
