package org.pelton;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * State of Pelton in this virtual machine: whether its library is loaded, and its counters. {@code
 * java -jar pelton.jar} prints it.
 */
public final class Pelton {
    private static final AtomicBoolean WARNED = new AtomicBoolean();

    /** Properties, and the variables of the environment that they stand in for. */
    private static final String[][] SETTINGS = {
        {"pelton.devices", "PELTON_ZLIB_DEVICES"},
        {"pelton.threads", "PELTON_ZLIB_THREADS"},
        {"pelton.stats", "PELTON_ZLIB_STATS"},
        {"pelton.log", "PELTON_ZLIB_LOG"},
        {"pelton.accelerate", "PELTON_ZLIB_ACCELERATE"},
        {"pelton.reproducible", "PELTON_ZLIB_REPRODUCIBLE"},
        {"pelton.instructions", "PELTON_ZLIB_INSTRUCTIONS"},
    };

    static {
        if (Native.isAvailable()) {
            Native.configure(settings());
        }
    }

    private Pelton() {}

    /**
     * Returns whether the library is loaded. Without it, all classes here work on {@code
     * java.util.zip}.
     */
    public static boolean isAvailable() {
        return Native.isAvailable();
    }

    /** Returns why the library is not loaded, in one line; null if it is. */
    public static String loadError() {
        return Native.LOAD_ERROR;
    }

    /** Returns the version of this jar. */
    public static String version() {
        String version = Pelton.class.getPackage().getImplementationVersion();
        return version == null ? "unknown" : version;
    }

    /**
     * Returns counters of calls, by operation and by who served them, as a table; empty unless
     * {@code pelton.stats} or {@code PELTON_ZLIB_STATS} wants them counted.
     */
    public static String statistics() {
        return Native.isAvailable() ? Native.statistics() : "";
    }

    /** Warns once, on standard error, if the library is not loaded. Returns whether it is. */
    static boolean check() {
        if (!Native.isAvailable() && WARNED.compareAndSet(false, true)) {
            System.err.println("pelton: warning: java.util.zip is used instead: " + Native.LOAD_ERROR);
        }
        return Native.isAvailable();
    }

    /**
     * Takes {@code java.util.zip} over, for the agent.
     *
     * @param takeover the class file of {@code org.pelton.agent.Takeover}
     * @return null, or why it stays as it is
     */
    public static String takeOver(byte[] takeover) {
        return Native.isAvailable() ? Native.takeOver(takeover) : Native.LOAD_ERROR;
    }

    /** Returns counters of the calls of {@code java.util.zip} that were served, as a table. */
    public static String zipStatistics() {
        return Native.isAvailable() ? Native.zipStatistics() : "";
    }

    private static String[] settings() {
        Map<String, String> values = new LinkedHashMap<>();
        String devices = System.getenv("PELTON_DEVICES");
        if (devices != null && System.getenv("PELTON_ZLIB_DEVICES") == null) {
            values.put("PELTON_ZLIB_DEVICES", devices);
        }
        for (String[] setting : SETTINGS) {
            String value = System.getProperty(setting[0]);
            if (value != null) {
                values.put(setting[1], value);
            }
        }
        String[] pairs = new String[2 * values.size()];
        int at = 0;
        for (Map.Entry<String, String> value : values.entrySet()) {
            pairs[at++] = value.getKey();
            pairs[at++] = value.getValue();
        }
        return pairs;
    }

    /** Prints version, platform, and whether the library is loaded. */
    public static void main(String[] arguments) {
        System.out.println("pelton " + version() + " on " + Loader.platform() + ", Java " + System.getProperty("java.version"));
        if (isAvailable()) {
            System.out.println("library   loaded");
        } else {
            System.out.println("library   not loaded: " + loadError());
            System.exit(1);
        }
    }
}
