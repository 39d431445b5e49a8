package org.pelton.agent;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import org.pelton.Pelton;

/**
 * Agent that serves {@code java.util.zip.Deflater} and {@code Inflater} with Pelton's DEFLATE:
 * {@code -javaagent:pelton.jar}.
 *
 * <p>It replaces their native methods, and changes no class. Streams that are open already stay
 * with the JDK. It does nothing on a JDK that it does not know ({@link #KNOWN}), with {@code
 * -Dpelton.agent=off}, or if the library can't be loaded; it says so once, and the program runs on.
 * The option's argument {@code off} or {@code stats} does what the properties {@code
 * pelton.agent=off} and {@code pelton.agent.stats=true} do, for programs that run already.
 */
public final class Agent {
    /** Versions of Java whose native methods are known. */
    static final Set<String> KNOWN = Collections.unmodifiableSet(new TreeSet<>(Arrays.asList("11", "17", "21", "25")));

    private static final String[] DEFLATER = {
        "init(int,int,boolean)long",
        "setDictionary(long,byte[],int,int)void",
        "setDictionaryBuffer(long,long,int)void",
        "deflateBytesBytes(long,byte[],int,int,byte[],int,int,int,int)long",
        "deflateBytesBuffer(long,byte[],int,int,long,int,int,int)long",
        "deflateBufferBytes(long,long,int,byte[],int,int,int,int)long",
        "deflateBufferBuffer(long,long,int,long,int,int,int)long",
        "getAdler(long)int",
        "reset(long)void",
        "end(long)void",
    };
    private static final String[] INFLATER = {
        "initIDs()void",
        "init(boolean)long",
        "setDictionary(long,byte[],int,int)void",
        "setDictionaryBuffer(long,long,int)void",
        "inflateBytesBytes(long,byte[],int,int,byte[],int,int)long",
        "inflateBytesBuffer(long,byte[],int,int,long,int)long",
        "inflateBufferBytes(long,long,int,byte[],int,int)long",
        "inflateBufferBuffer(long,long,int,long,int)long",
        "getAdler(long)int",
        "reset(long)void",
        "end(long)void",
    };

    private static boolean wasStarted;
    private static boolean isOn;
    private static String reason = "the agent was not started";

    private Agent() {}

    /** Starts the agent before the program. */
    public static void premain(String arguments, Instrumentation instrumentation) {
        start(arguments, instrumentation);
    }

    /** Starts the agent in a program that runs. */
    public static void agentmain(String arguments, Instrumentation instrumentation) {
        start(arguments, instrumentation);
    }

    private static synchronized void start(String arguments, Instrumentation instrumentation) {
        if (wasStarted) {
            return;
        }
        wasStarted = true;
        Set<String> given = new TreeSet<>(Arrays.asList((arguments == null ? "" : arguments).split(",")));
        boolean isOff = given.remove("off") || "off".equals(System.getProperty("pelton.agent"));
        boolean isCounted = given.remove("stats") || Boolean.getBoolean("pelton.agent.stats");
        given.remove("");
        if (!given.isEmpty()) {
            System.err.println("pelton: warning: the agent has no arguments " + given + ", only off and stats");
        }
        if (isOff) {
            reason = "it is switched off by pelton.agent=off";
        } else {
            try {
                reason = takeOver(instrumentation);
            } catch (IOException | RuntimeException | LinkageError error) {
                reason = error.toString();
            }
            isOn = reason == null;
            if (isOn) {
                ParquetWatch.start(instrumentation);
            } else {
                System.err.println("pelton: warning: java.util.zip is not taken over: " + reason);
            }
        }
        if (isCounted) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> System.err.print(statistics()), "pelton-statistics"));
        }
    }

    /** Returns whether java.util.zip is taken over. */
    public static synchronized boolean isOn() {
        return isOn;
    }

    /** Returns what was served: a table of calls and bytes; or why nothing was. */
    public static synchronized String statistics() {
        String end = System.lineSeparator();
        return isOn
                ? "pelton: java.util.zip" + end + Pelton.zipStatistics()
                : "pelton: java.util.zip is not taken over: " + reason + end;
    }

    /** Returns why a virtual machine keeps its methods; null if it is one that is known. */
    static String refusal(String version, String machine) {
        if (!KNOWN.contains(version)) {
            return "Java " + version + " is not one of the known versions " + KNOWN;
        }
        if (machine == null || !(machine.contains("HotSpot") || machine.contains("OpenJDK"))) {
            return machine + " is not a known virtual machine";
        }
        String difference = difference(java.util.zip.Deflater.class, DEFLATER);
        return difference != null ? difference : difference(java.util.zip.Inflater.class, INFLATER);
    }

    /**
     * Returns how the native methods of a class differ from those expected; null if they do not.
     */
    static String difference(Class<?> type, String... expected) {
        Set<String> there = new TreeSet<>();
        for (Method method : type.getDeclaredMethods()) {
            if (Modifier.isNative(method.getModifiers())) {
                StringBuilder text = new StringBuilder(method.getName()).append('(');
                for (Class<?> parameter : method.getParameterTypes()) {
                    text.append(parameter.getSimpleName()).append(',');
                }
                if (text.charAt(text.length() - 1) == ',') {
                    text.setLength(text.length() - 1);
                }
                there.add(text.append(')').append(method.getReturnType().getSimpleName()).toString());
            }
        }
        Set<String> wanted = new TreeSet<>(Arrays.asList(expected));
        if (there.equals(wanted)) {
            return null;
        }
        Set<String> other = new TreeSet<>(there);
        other.removeAll(wanted);
        wanted.removeAll(there);
        return type.getName() + " has other native methods: " + other + " in place of " + wanted;
    }

    private static String takeOver(Instrumentation instrumentation) throws IOException {
        String version = System.getProperty("java.specification.version");
        String refusal = refusal(version, System.getProperty("java.vm.name"));
        if (refusal != null) {
            return refusal;
        }
        NativeAccess.allow(instrumentation, Integer.parseInt(version));
        return Pelton.takeOver(classFile(Takeover.class));
    }

    /** Returns the class file of a class of the jar. */
    static byte[] classFile(Class<?> type) throws IOException {
        String file = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (InputStream in = type.getResourceAsStream(file)) {
            if (in == null) {
                throw new IOException("the jar has no " + file);
            }
            byte[] piece = new byte[8192];
            for (int n; (n = in.read(piece)) >= 0; ) {
                bytes.write(piece, 0, n);
            }
        }
        return bytes.toByteArray();
    }
}
