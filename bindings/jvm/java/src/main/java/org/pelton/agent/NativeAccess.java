package org.pelton.agent;

import java.io.IOException;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.util.Collections;
import java.util.Map;
import java.util.Set;

/**
 * Permission to load a native library, without which Java 24 and later warn.
 *
 * <p>An agent may open packages of the JDK, and so may give the permission that {@code
 * --enable-native-access=ALL-UNNAMED} gives. A class in a class loader of its own gives it: {@code
 * java.lang} is opened to that one only, and stays closed to the program. All methods are looked
 * up, as they are newer than Java 8.
 */
final class NativeAccess {
    private static final int FIRST_WITH_WARNING = 24;

    private NativeAccess() {}

    /**
     * Allows the class path to load libraries. Where that is not needed or not possible, nothing
     * happens.
     */
    static void allow(Instrumentation instrumentation, int version) {
        if (version < FIRST_WITH_WARNING) {
            return;
        }
        try {
            Class<?> grant = new Isolated().define();
            Class<?> moduleType = Class.forName("java.lang.Module");
            Method getModule = Class.class.getMethod("getModule");
            Map<String, Set<Object>> opened =
                    Collections.singletonMap("java.lang", Collections.singleton(getModule.invoke(grant)));
            Instrumentation.class
                    .getMethod(
                            "redefineModule", moduleType, Set.class, Map.class, Map.class, Set.class, Map.class)
                    .invoke(
                            instrumentation, getModule.invoke(Object.class), Collections.emptySet(),
                            Collections.emptyMap(), opened, Collections.emptySet(), Collections.emptyMap());
            ((Runnable) grant.getConstructor().newInstance()).run();
        } catch (ReflectiveOperationException | IOException | RuntimeException | LinkageError other) {
            // The virtual machine warns, and the library is loaded all the same.
        }
    }

    /** Class loader that knows {@link Grant} and the classes of the JDK. */
    private static final class Isolated extends ClassLoader {
        Isolated() {
            super(null);
        }

        Class<?> define() throws IOException {
            byte[] bytes = Agent.classFile(Grant.class);
            return defineClass(Grant.class.getName(), bytes, 0, bytes.length);
        }
    }

    /**
     * Caller of the module system. It is public for the class loader above, and does nothing
     * elsewhere.
     */
    public static final class Grant implements Runnable {
        /** Makes a caller. */
        public Grant() {}

        @Override
        public void run() {
            try {
                Method allow = Class.forName("java.lang.Module").getDeclaredMethod("implAddEnableNativeAccessToAllUnnamed");
                allow.setAccessible(true);
                allow.invoke(null);
            } catch (ReflectiveOperationException changed) {
                throw new IllegalStateException(changed);
            }
        }
    }
}
