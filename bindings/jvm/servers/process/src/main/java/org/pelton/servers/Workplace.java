package org.pelton.servers;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * Temporary folder with the processes that work in it. Whatever happens, the processes are killed
 * and the folder is deleted; if it was a failure, the logs are printed before.
 */
public final class Workplace {
    /** Lines at the end of a log that are printed after a failure. */
    private static final int LOG_LINES = 120;

    private final Path folder;
    private final List<JavaProcess> processes = new ArrayList<>();

    private Workplace(Path folder) {
        this.folder = folder;
    }

    /** Work in a workplace. */
    @FunctionalInterface
    public interface Work {
        /** Does the work. */
        void run(Workplace place) throws Exception;
    }

    /** Does work in a new workplace, which is gone afterwards. */
    public static void run(Work work) throws Exception {
        Workplace place = new Workplace(Files.createTempDirectory("pelton-servers-"));
        Runtime.getRuntime().addShutdownHook(new Thread(place::clear, "clear-workplace"));
        try {
            work.run(place);
        } catch (Exception | Error failure) {
            place.printLogs();
            throw failure;
        } finally {
            place.clear();
        }
    }

    /** Returns a new folder for data. */
    public Path newFolder(String name) throws IOException {
        return Files.createDirectory(folder.resolve(name));
    }

    /**
     * Starts a main class in a process of its own.
     *
     * @param name the name of its log; each process has another one
     * @param options options of the virtual machine
     * @param command the main class and its arguments
     */
    public synchronized JavaProcess start(String name, List<String> options, List<String> command) throws IOException {
        Path log = Files.createFile(folder.resolve(name + ".log"));
        JavaProcess process = JavaProcess.start(name, log, options, command);
        processes.add(process);
        return process;
    }

    /** Returns ports of 127.0.0.1 that are free, each another one. */
    public static int[] freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().mapToInt(ServerSocket::getLocalPort).toArray();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    /**
     * Returns the options that start the agent, with its counters printed at exit.
     *
     * @throws IllegalStateException if the jar is not built
     */
    public static List<String> agent() {
        return List.of("-javaagent:" + jar(), "-Dpelton.agent.stats=true");
    }

    /**
     * Returns the options that add Pelton's jar to the class path, with its counters printed at
     * exit.
     *
     * @throws IllegalStateException if the jar is not built
     */
    public static List<String> library() {
        return List.of("-cp", JavaProcess.classPath() + File.pathSeparator + jar(), "-Dpelton.stats=1");
    }

    /**
     * Returns Pelton's jar, from the property {@code pelton.jar}.
     *
     * @throws IllegalStateException if the jar is not built
     */
    public static Path jar() {
        Path jar = Path.of(System.getProperty("pelton.jar", "bindings/jvm/java/target/pelton.jar"))
                .toAbsolutePath()
                .normalize();
        if (!Files.isRegularFile(jar)) {
            throw new IllegalStateException(
                    "there is no " + jar + ": run `make jvm` first, or set the property pelton.jar");
        }
        return jar;
    }

    private synchronized void printLogs() {
        for (JavaProcess process : processes) {
            List<String> lines = process.log().lines().toList();
            System.out.println("==== log of " + process.name() + ", " + lines.size() + " lines");
            lines.stream().skip(Math.max(0, lines.size() - LOG_LINES)).forEach(System.out::println);
        }
        System.out.flush();
    }

    private synchronized void clear() {
        processes.forEach(JavaProcess::kill);
        if (Files.notExists(folder)) {
            return;
        }
        try (Stream<Path> paths = Files.walk(folder)) {
            paths.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
        } catch (IOException error) {
            System.err.println(folder + " is not deleted: " + error);
        }
    }
}
