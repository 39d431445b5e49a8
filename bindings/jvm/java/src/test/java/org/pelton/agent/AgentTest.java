package org.pelton.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.File;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pelton.Pelton;

/**
 * The agent in virtual machines of its own.
 *
 * <p>{@code -Dpelton.test.jvms}, or {@code PELTON_TEST_JVMS}, has their folders, separated by
 * colons (this one's if neither is set), and {@code -Dpelton.test.sequences} the number of random
 * sequences.
 */
class AgentTest {
    private static final String CLASSES = location(Pelton.class);
    private static final String TESTS = location(AgentTest.class);
    private static final int SEQUENCES = Integer.getInteger("pelton.test.sequences", 300);

    @TempDir
    static Path folder;

    private static Path jar;

    private static String location(Class<?> type) {
        return new File(type.getProtectionDomain().getCodeSource().getLocation().getPath()).getPath();
    }

    private static List<String> jvms() {
        String homes = System.getProperty("pelton.test.jvms", System.getenv("PELTON_TEST_JVMS"));
        return Arrays.asList((homes == null ? System.getProperty("java.home") : homes).split(":"));
    }

    /** Packs the classes as the build does, which has not made the jar yet. */
    @BeforeAll
    static void pack() throws Exception {
        System.out.println("the agent is tested on " + jvms());
        jar = folder.resolve("pelton.jar");
        Manifest manifest = new Manifest();
        Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.putValue("Premain-Class", "org.pelton.agent.Agent");
        attributes.putValue("Agent-Class", "org.pelton.agent.Agent");
        Path root = Paths.get(CLASSES);
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest);
                Stream<Path> files = Files.walk(root)) {
            for (Path file : files.filter(Files::isRegularFile).collect(Collectors.toList())) {
                String name = root.relativize(file).toString();
                if (!name.equals("META-INF/MANIFEST.MF")) {
                    out.putNextEntry(new JarEntry(name));
                    Files.copy(file, out);
                    out.closeEntry();
                }
            }
        }
    }

    private static final class Output {
        final int code;
        final Path out;
        final String err;

        Output(int code, Path out, String err) {
            this.code = code;
            this.out = out;
            this.err = err;
        }
    }

    private static Output run(String home, List<String> options, String... program) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Paths.get(home, "bin", "java").toString());
        command.addAll(options);
        command.addAll(Arrays.asList("-cp", TESTS));
        command.addAll(Arrays.asList(program));
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        Process process =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile()).start();
        assertTrue(process.waitFor(60, TimeUnit.MINUTES));
        return new Output(process.exitValue(), out, new String(Files.readAllBytes(err), StandardCharsets.UTF_8));
    }

    private static List<String> agent(String... more) {
        List<String> options = new ArrayList<>(Arrays.asList("-javaagent:" + jar, "-Dpelton.agent.stats=true"));
        options.addAll(Arrays.asList(more));
        return options;
    }

    /** Asserts that a virtual machine printed counters of the agent, and nothing else. */
    private static void assertServed(Output output) {
        assertEquals(0, output.code, output.err);
        String[] lines = output.err.trim().split("\n");
        assertEquals(4, lines.length, output.err);
        for (String line : new String[] {lines[2], lines[3]}) {
            String[] fields = line.trim().split(" +");
            assertTrue(Long.parseLong(fields[1]) > 0 && Long.parseLong(fields[2]) > 0, output.err);
        }
    }

    /**
     * Bytes that a call may leave unread where the JDK reads them: a block's header, once the
     * output is full.
     */
    private static final long MAX_UNREAD = 600;

    private static final Pattern READ = Pattern.compile("read=(\\d+)$");

    /**
     * Asserts that two transcripts are the same, but for a few bytes that were not read yet, and
     * tell of no fault.
     */
    private static void assertSame(Path expected, Path actual) throws Exception {
        try (BufferedReader one = Files.newBufferedReader(expected); BufferedReader other = Files.newBufferedReader(actual)) {
            String sequence = "";
            while (true) {
                String line = one.readLine();
                String ours = other.readLine();
                if (line != null && ours != null && !line.equals(ours)) {
                    Matcher theirRead = READ.matcher(line);
                    Matcher ourRead = READ.matcher(ours);
                    if (theirRead.find() && ourRead.find()) {
                        long unread = Long.parseLong(theirRead.group(1)) - Long.parseLong(ourRead.group(1));
                        assertTrue(unread > 0 && unread <= MAX_UNREAD, sequence + ": " + line + ", " + ours);
                        ours = ourRead.replaceFirst(theirRead.group());
                    }
                }
                assertEquals(line, ours, sequence);
                if (line == null) {
                    return;
                }
                assertTrue(!ours.matches("(wrong (data|position|number|needsInput)|written past|bytes were).*"), sequence + ": " + ours);
                sequence = line.startsWith("sequence") ? line : sequence;
            }
        }
    }

    @Test
    void callsHaveTheResultsOfTheJdk() throws Exception {
        String count = String.valueOf(SEQUENCES);
        for (String home : jvms()) {
            Path theirs = folder.resolve("theirs");
            Path ours = folder.resolve("ours");
            Output plain = run(home, Arrays.asList(), "org.pelton.agent.ZipProgram", "write", theirs.toString(), "1", count);
            assertEquals(0, plain.code, plain.err);
            Output served = run(home, agent(), "org.pelton.agent.ZipProgram", "write", ours.toString(), "1", count);
            assertServed(served);
            assertSame(plain.out, served.out);
            for (Path file : new Path[] {theirs, ours}) {
                plain = run(home, Arrays.asList(), "org.pelton.agent.ZipProgram", "read", file.toString(), "9", count);
                served = run(home, agent(), "org.pelton.agent.ZipProgram", "read", file.toString(), "9", count);
                assertEquals(0, plain.code, plain.err);
                assertEquals(0, served.code, served.err);
                assertSame(plain.out, served.out);
            }
        }
    }

    @Test
    void streamsAndArchivesOfTheJdkWork() throws Exception {
        for (String home : jvms()) {
            for (List<String> writer : Arrays.asList(agent(), new ArrayList<String>())) {
                String files = Files.createTempDirectory(folder, "files").toString();
                Output written = run(home, writer, "org.pelton.agent.StreamProgram", "write", files);
                Output plain = run(home, new ArrayList<>(), "org.pelton.agent.StreamProgram", "read", files);
                Output served = run(home, agent(), "org.pelton.agent.StreamProgram", "read", files);
                assertEquals(0, written.code + plain.code + served.code, written.err + plain.err + served.err);
                assertEquals(49, Files.readAllLines(written.out).size());
                assertEquals(Files.readAllLines(written.out), Files.readAllLines(plain.out));
                assertEquals(Files.readAllLines(written.out), Files.readAllLines(served.out));
                assertTrue(calls(served, "Inflater") > 100, served.err);
                if (!writer.isEmpty()) {
                    // Twice gzip, raw and zlib for each sample, and two archives.
                    assertEquals(4 * 12 + 2, number(written, "Deflater", 1), written.err);
                }
            }
        }
    }

    private static long number(Output output, String type, int field) {
        for (String line : output.err.split("\n")) {
            String[] fields = line.trim().split(" +");
            if (fields[0].equals(type)) {
                return Long.parseLong(fields[field]);
            }
        }
        throw new AssertionError("no counters of " + type + " in: " + output.err);
    }

    private static long calls(Output output, String type) {
        return number(output, type, 2);
    }

    @Test
    void allEntryPointsTogether() throws Exception {
        String seconds = System.getProperty("pelton.test.stress", "3");
        for (String home : jvms()) {
            List<String> options = agent("-Xmx300m");
            List<String> command = new ArrayList<>(options);
            Output output = run(home, command, "org.pelton.agent.AgentTest$WithJar", "org.pelton.Stress", seconds);
            assertEquals(0, output.code, new String(Files.readAllBytes(output.out), StandardCharsets.UTF_8) + output.err);
            assertServed(output);
        }
    }

    /** Runs another program; the agent's jar is on its class path by being an agent. */
    static final class WithJar {
        private WithJar() {}

        public static void main(String[] arguments) throws Exception {
            Class.forName(arguments[0])
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
        }
    }

    /**
     * Reads a class from a jar, and a stream that was begun before the agent started, then attaches
     * it.
     */
    static final class Late {
        private Late() {}

        public static void main(String[] arguments) throws Exception {
            byte[] data = new byte[100000];
            new java.util.Random(1).nextBytes(data);
            java.util.zip.Deflater old = new java.util.zip.Deflater();
            byte[] out = new byte[200000];
            old.setInput(data, 0, 50000);
            int n = old.deflate(out);
            java.util.zip.Inflater before = new java.util.zip.Inflater();
            Class<?> machine = Class.forName("com.sun.tools.attach.VirtualMachine");
            String pid = java.lang.management.ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
            Object attached = machine.getMethod("attach", String.class).invoke(null, pid);
            machine.getMethod("loadAgent", String.class).invoke(attached, arguments[0]);
            machine.getMethod("loadAgent", String.class).invoke(attached, arguments[0]);
            machine.getMethod("detach").invoke(attached);
            old.setInput(data, 50000, 50000);
            old.finish();
            while (!old.finished()) {
                n += old.deflate(out, n, out.length - n);
            }
            java.util.zip.Inflater after = new java.util.zip.Inflater();
            for (java.util.zip.Inflater inflater : new java.util.zip.Inflater[] {before, after}) {
                inflater.setInput(out, 0, n);
                byte[] back = new byte[data.length];
                int length = 0;
                while (!inflater.finished()) {
                    length += inflater.inflate(back, length, back.length - length + (length == back.length ? 1 : 0));
                }
                if (!Arrays.equals(data, back)) {
                    throw new AssertionError("other data");
                }
                inflater.end();
            }
            old.end();
        }
    }

    @Test
    void streamsThatWereThereBeforeStayWithTheJdk() throws Exception {
        for (String home : jvms()) {
            Output output = run(
                    home, Arrays.asList("-Djdk.attach.allowAttachSelf=true", "-Dpelton.agent.stats=true", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading"),
                    "org.pelton.agent.AgentTest$Late", jar.toString());
            assertEquals(0, output.code, output.err);
            String[] lines = output.err.trim().split("\n");
            String deflater = lines[lines.length - 2];
            String inflater = lines[lines.length - 1];
            assertTrue(deflater.matches("Deflater +0 +0 +0 +0 +[1-9][0-9]*"), output.err);
            assertTrue(inflater.matches("Inflater +[1-9].* +[1-9][0-9]*"), output.err);
        }
    }

    /** Sets a dictionary that is a part of an array. */
    static final class PartOfArray {
        private PartOfArray() {}

        public static void main(String[] arguments) {
            byte[] array = new byte[5000];
            new java.util.Random(1).nextBytes(array);
            java.util.zip.Adler32 sum = new java.util.zip.Adler32();
            sum.update(array, 1000, 3000);
            java.util.zip.Deflater deflater = new java.util.zip.Deflater();
            deflater.setDictionary(array, 1000, 3000);
            System.out.println(deflater.getAdler() == (int) sum.getValue());
            deflater.end();
        }
    }

    @Test
    void aDictionaryMayBePartOfAnArray() throws Exception {
        for (String home : jvms()) {
            Output output = run(home, agent(), "org.pelton.agent.AgentTest$PartOfArray");
            assertEquals(Arrays.asList("true"), Files.readAllLines(output.out), home);
        }
    }

    /**
     * Opens, uses and closes streams on several threads, before, while and after the agent starts.
     */
    static final class Busy {
        private static volatile boolean isOver;
        private static volatile Throwable failure;

        private Busy() {}

        private static void roundTrips(int level) {
            try {
                byte[] data = new byte[600];
                new java.util.Random(level).nextBytes(data);
                byte[] out = new byte[1000];
                while (!isOver) {
                    java.util.zip.Deflater deflater = new java.util.zip.Deflater(level);
                    deflater.setInput(data);
                    deflater.finish();
                    int n = deflater.deflate(out);
                    deflater.end();
                    java.util.zip.Inflater inflater = new java.util.zip.Inflater();
                    inflater.setInput(out, 0, n);
                    byte[] back = new byte[600];
                    if (inflater.inflate(back) != 600 || !inflater.finished() || !Arrays.equals(data, back)) {
                        throw new AssertionError("other data");
                    }
                    inflater.end();
                }
            } catch (Throwable error) {
                failure = error;
            }
        }

        public static void main(String[] arguments) throws Throwable {
            List<Thread> threads = new ArrayList<>();
            for (int i = 1; i <= 4; i++) {
                int level = i;
                threads.add(new Thread(() -> roundTrips(level)));
            }
            for (Thread thread : threads) {
                thread.start();
            }
            // The natives are called by compiled code by then.
            Thread.sleep(700);
            Class<?> machine = Class.forName("com.sun.tools.attach.VirtualMachine");
            String pid = java.lang.management.ManagementFactory.getRuntimeMXBean().getName().split("@")[0];
            Object attached = machine.getMethod("attach", String.class).invoke(null, pid);
            machine.getMethod("loadAgent", String.class, String.class).invoke(attached, arguments[0], "stats");
            Thread.sleep(300);
            isOver = true;
            for (Thread thread : threads) {
                thread.join();
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    @Test
    void theAgentStartsUnderBusyThreads() throws Exception {
        for (String home : jvms()) {
            Output output = run(
                    home, Arrays.asList("-Djdk.attach.allowAttachSelf=true", "-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading"),
                    "org.pelton.agent.AgentTest$Busy", jar.toString());
            assertEquals(0, output.code, output.err);
            assertTrue(calls(output, "Deflater") > 0 && calls(output, "Inflater") > 0, output.err);
        }
    }

    /** Prints whether it may call a method of the JDK that is not public. */
    static final class Intruder {
        private Intruder() {}

        public static void main(String[] arguments) throws Exception {
            try {
                ClassLoader.class.getDeclaredMethod("findClass", String.class).setAccessible(true);
                System.out.println("open");
            } catch (RuntimeException closed) {
                System.out.println("closed");
            }
        }
    }

    @Test
    void theJdkIsAsClosedAsBefore() throws Exception {
        for (String home : jvms()) {
            Output plain = run(home, Arrays.asList(), "org.pelton.agent.AgentTest$Intruder");
            Output served = run(home, agent(), "org.pelton.agent.AgentTest$Intruder");
            assertEquals(Files.readAllLines(plain.out), Files.readAllLines(served.out), home);
            assertEquals(1, Files.readAllLines(served.out).size());
            assertTrue(served.err.contains("Inflater"), served.err);
        }
    }

    @Test
    void twoAgentsAreOne() throws Exception {
        List<String> options = agent("-javaagent:" + jar);
        for (String home : jvms()) {
            Output output =
                    run(home, options, "org.pelton.agent.ZipProgram", "write", folder.resolve("two").toString(), "1", "3");
            assertServed(output);
        }
    }

    @Test
    void itCanBeSwitchedOff() throws Exception {
        String home = jvms().get(0);
        String file = folder.resolve("off").toString();
        for (String option : new String[] {
            "-Dpelton.agent=off", "-javaagent:" + jar + "=off", "-Dpelton.disabled=true", "-Dpelton.native.path=/none"
        }) {
            // A second agent says nothing more.
            List<String> options = new ArrayList<>(Arrays.asList(option, "-Dpelton.agent.stats=true"));
            options.addAll(Arrays.asList("-javaagent:" + jar, "-javaagent:" + jar));
            Output output = run(home, options, "org.pelton.agent.ZipProgram", "write", file, "1", "3");
            assertEquals(0, output.code, output.err);
            boolean isAsked = option.endsWith("=off");
            String[] lines = output.err.trim().split("\n");
            assertEquals(isAsked ? 1 : 2, lines.length, output.err);
            assertEquals(!isAsked, lines[0].startsWith("pelton: warning: java.util.zip is not taken over: "), output.err);
            assertTrue(lines[lines.length - 1].startsWith("pelton: java.util.zip is not taken over: "), output.err);
        }
    }

    @Test
    void argumentsAreNamed() throws Exception {
        String home = jvms().get(0);
        String file = folder.resolve("arguments").toString();
        Output output = run(
                home, Arrays.asList("-javaagent:" + jar + "=stats,fast"), "org.pelton.agent.ZipProgram", "write", file, "1", "3");
        assertEquals(0, output.code, output.err);
        assertTrue(output.err.startsWith("pelton: warning: the agent has no arguments [fast], only off and stats"), output.err);
        assertTrue(calls(output, "Deflater") > 0, output.err);
    }

    @Test
    void anUnknownMachineKeepsItsMethods() {
        assertNull(Agent.refusal("17", "OpenJDK 64-Bit Server VM"));
        assertTrue(Agent.refusal("18", "OpenJDK 64-Bit Server VM").contains("18"));
        assertTrue(Agent.refusal("1.8", "OpenJDK 64-Bit Server VM").contains("1.8"));
        assertNotNull(Agent.refusal("17", "Eclipse OpenJ9 VM"));
        assertNotNull(Agent.refusal("17", null));
        String difference = Agent.difference(java.util.zip.Deflater.class, "init(int)long");
        assertTrue(difference.contains("init(int,int,boolean)long") && difference.contains("init(int)long"), difference);
    }

    @Test
    void theTakeoverHasNoOtherClasses() throws Exception {
        // The boot class loader has none of them.
        try (InputStream in = Agent.class.getResourceAsStream("Takeover.class")) {
            assertNotNull(in);
            byte[] bytes = new byte[in.available()];
            int n = in.read(bytes);
            String text = new String(bytes, 0, n, StandardCharsets.ISO_8859_1);
            assertTrue(!text.replace("org/pelton/agent/Takeover", "").contains("org/pelton"), text);
        }
    }
}
