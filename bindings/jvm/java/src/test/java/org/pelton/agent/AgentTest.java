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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.pelton.Pelton;

/**
 * The agent in virtual machines of its own.
 *
 * <p>{@code -Dpelton.test.jvms} has their folders, separated by colons (this one's if it is not set), and {@code
 * -Dpelton.test.sequences} the number of random sequences.
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
        return Arrays.asList(System.getProperty("pelton.test.jvms", System.getProperty("java.home")).split(":"));
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

    /** Asserts that two transcripts are the same, and, if {@code isRight}, that they tell of no fault. */
    private static void assertSame(Path expected, Path actual, boolean isRight) throws Exception {
        try (BufferedReader one = Files.newBufferedReader(expected); BufferedReader other = Files.newBufferedReader(actual)) {
            String sequence = "";
            while (true) {
                String line = one.readLine();
                assertEquals(line, other.readLine(), sequence);
                if (line == null) {
                    return;
                }
                assertTrue(!isRight || !line.matches("wrong data.*|written past.*|bytes were.*|wrong position|wrong number.*"), sequence + ": " + line);
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
            assertEquals(0, served.code, served.err);
            assertSame(plain.out, served.out, true);
            for (Path file : new Path[] {theirs, ours}) {
                plain = run(home, Arrays.asList(), "org.pelton.agent.ZipProgram", "read", file.toString(), "9", count);
                served = run(home, agent(), "org.pelton.agent.ZipProgram", "read", file.toString(), "9", count);
                assertEquals(0, plain.code, plain.err);
                assertEquals(0, served.code, served.err);
                // The JDK's own Deflater loses data if the level changes, with some versions of zlib (JDK 11.0.13).
                assertSame(plain.out, served.out, file.equals(ours));
            }
        }
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

    /** Reads a class from a jar, and a stream that was begun before the agent started, then attaches it. */
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

    @Test
    void itCanBeSwitchedOff() throws Exception {
        String home = jvms().get(0);
        Path file = folder.resolve("off");
        for (String option : new String[] {"-Dpelton.agent=off", "-Dpelton.disabled=true", "-Dpelton.native.path=/none"}) {
            Output output = run(home, agent(option), "org.pelton.agent.ZipProgram", "write", file.toString(), "1", "3");
            assertEquals(0, output.code, output.err);
            assertTrue(output.err.contains("not taken over: "), output.err);
        }
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
