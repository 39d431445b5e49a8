package org.pelton.servers;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Virtual machine of its own on this one's class path, with standard output and error in one log
 * file.
 */
public final class JavaProcess {
    /** Exit status of a virtual machine that ended in order after SIGTERM. */
    private static final int TERMINATED = 128 + 15;

    private final String name;
    private final Path log;
    private final Process process;

    private JavaProcess(String name, Path log, Process process) {
        this.name = name;
        this.log = log;
        this.process = process;
    }

    /**
     * Starts a main class.
     *
     * @param name the name of its log
     * @param options options of the virtual machine
     * @param command the main class and its arguments
     */
    static JavaProcess start(String name, Path log, List<String> options, List<String> command) throws IOException {
        List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        line.addAll(options);
        if (!options.contains("-cp")) {
            line.addAll(List.of("-cp", classPath()));
        }
        line.add(Child.class.getName());
        line.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .directory(log.getParent().toFile());
        // Options from outside would turn a stock process into another one.
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"));
        return new JavaProcess(name, log, builder.start());
    }

    /** Returns the class path of this virtual machine, with absolute paths. */
    static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns the name that this process was given. */
    public String name() {
        return name;
    }

    /** Returns everything that was printed so far. */
    public String log() {
        try {
            return Files.readString(log, StandardCharsets.ISO_8859_1);
        } catch (IOException error) {
            return "the log can't be read: " + error;
        }
    }

    /**
     * Waits until a text is in the log.
     *
     * @throws IllegalStateException if the process ends before that, or takes longer than {@code
     *     limit}
     */
    public void await(String text, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!log().contains(text)) {
            if (!process.isAlive()) {
                throw new IllegalStateException(
                        name + " ended with " + process.exitValue() + " before \"" + text + "\"");
            }
            if (System.nanoTime() > end) {
                throw new IllegalStateException(name + " did not print \"" + text + "\" within " + limit);
            }
            Thread.sleep(100);
        }
    }

    /**
     * Waits until the process ends by itself.
     *
     * @throws IllegalStateException if it fails, or takes longer than {@code limit}
     */
    public void join(Duration limit) throws InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException(name + " did not end within " + limit);
        }
        if (process.exitValue() != 0) {
            throw new IllegalStateException(name + " failed with " + process.exitValue());
        }
    }

    /**
     * Asks the process to end, with SIGTERM, and waits.
     *
     * @throws IllegalStateException if it has ended before, or does not end in order
     */
    public void stop() throws InterruptedException {
        if (!process.isAlive()) {
            throw new IllegalStateException(name + " has ended before, with " + process.exitValue());
        }
        // Process.destroy would close the standard input too, at which the child ends without its
        // shutdown hooks.
        process.toHandle().destroy();
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException(name + " does not end after SIGTERM");
        }
        if (process.exitValue() != TERMINATED && process.exitValue() != 0) {
            throw new IllegalStateException(name + " ended with " + process.exitValue());
        }
    }

    /** Kills the process if it runs, and waits until it is gone. */
    void kill() {
        process.destroyForcibly();
        boolean interrupted = false;
        while (process.isAlive()) {
            try {
                process.waitFor();
            } catch (InterruptedException error) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the number of milliseconds of processor time that the process has used. */
    public long processorMillis() {
        return process.toHandle().info().totalCpuDuration().map(Duration::toMillis).orElseThrow();
    }

    /**
     * Returns a number that the process has printed, as {@code name=1.5} in a line of its own.
     *
     * @throws IllegalStateException if it has not
     */
    public double result(String name) {
        return log().lines()
                .filter(line -> line.startsWith(name + "="))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(this.name + " did not print " + name));
    }

    /** Returns what the agent counted: see {@link Workplace#agent}. The process has ended. */
    public Counters agentCounters() {
        return Counters.ofAgent(log());
    }

    /** Returns what the library counted: see {@link Workplace#library}. The process has ended. */
    public Counters libraryCounters() {
        return Counters.ofLibrary(log());
    }
}
