package org.pelton.agent;

/**
 * Caller of the library's takeover in the boot class loader, where the library defines this class:
 * code of another class loader that replaces methods of the JDK makes the virtual machine warn of
 * each.
 */
final class Takeover {
    private Takeover() {}

    /**
     * Takes {@code Deflater} and {@code Inflater} over. Returns null, or why they stay as they are.
     */
    static String start() {
        return install();
    }

    private static native String install();
}
