package org.pelton.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.Locale;

/**
 * Record of a measurement: Markdown with the machine and the tables, and the single runs as CSV, in
 * a folder named after the day and the processor.
 */
public final class Record {
    private final String name;
    private final ZonedDateTime now = ZonedDateTime.now(ZoneOffset.UTC);
    private final double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    private final StringBuilder tables = new StringBuilder();
    private final StringBuilder runs = new StringBuilder();

    /** Starts a record, whose files get this name. */
    public Record(String name) {
        this.name = name;
    }

    /** Adds a line to the tables. */
    public void line(String format, Object... values) {
        tables.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    /** Adds a line to the CSV. */
    public void run(Object... fields) {
        for (int i = 0; i < fields.length; i++) {
            runs.append(i == 0 ? "" : ",").append(fields[i]);
        }
        runs.append('\n');
    }

    /**
     * Prints the tables, and writes both files if a folder of records is given.
     *
     * @param folder the folder of records, or an empty text
     * @param command the command line
     */
    public void write(String folder, String command) throws IOException {
        String heading = String.format(Locale.ROOT,
                "# %s%n%n%s UTC, on %s, %d cores, Java %s (%s). Load average at the start and at the end: %.2f, %.2f: "
                        + "what it had to share the machine with.%n%n```%n%s%n```%n%n",
                name, now.format(DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm")), cpu(),
                Runtime.getRuntime().availableProcessors(), System.getProperty("java.version"),
                System.getProperty("java.vendor"), load,
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage(), command);
        System.out.print(heading + tables);
        if (folder.isEmpty()) {
            return;
        }
        String slug = String.join("-", cpu().toLowerCase(Locale.ROOT).split("[^a-z0-9]+"));
        Path place = Paths.get(folder, now.format(DateTimeFormatter.ISO_LOCAL_DATE) + "-" + slug);
        Files.createDirectories(place);
        Files.write(place.resolve(name + ".md"), (heading + tables).getBytes(StandardCharsets.UTF_8));
        Files.write(place.resolve(name + ".csv"), runs.toString().getBytes(StandardCharsets.UTF_8));
        System.err.println("recorded in " + place.resolve(name + ".md"));
    }

    private static String cpu() throws IOException {
        Path info = Paths.get("/proc/cpuinfo");
        if (Files.exists(info)) {
            for (String line : Files.readAllLines(info)) {
                if (line.startsWith("model name")) {
                    return line.substring(line.indexOf(':') + 1).trim();
                }
            }
        }
        return System.getProperty("os.arch");
    }

    /** Returns the median; of an even number of values, the mean of both in the middle. */
    public static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    /** Returns the median of the ratios of both in the same run. */
    public static double ratio(double[] numerators, double[] denominators) {
        double[] ratios = new double[numerators.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = numerators[i] / denominators[i];
        }
        return median(ratios);
    }
}
