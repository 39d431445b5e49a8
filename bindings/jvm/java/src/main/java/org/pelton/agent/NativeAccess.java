package org.pelton.agent;

import java.lang.instrument.Instrumentation;
import java.lang.reflect.Method;
import java.util.Collections;

/**
 * Permission to load a native library, without which Java 24 and later warn.
 *
 * <p>An agent may open packages of the JDK to itself, and so may give the permission that {@code
 * --enable-native-access=ALL-UNNAMED} gives. All methods are looked up, as they are newer than Java 8.
 */
final class NativeAccess {
    private NativeAccess() {}

    /** Allows the class path to load libraries. Where that is not needed or not possible, nothing happens. */
    static void allow(Instrumentation instrumentation) {
        try {
            Class<?> moduleType = Class.forName("java.lang.Module");
            Method allow = moduleType.getDeclaredMethod("implAddEnableNativeAccessToAllUnnamed");
            Method getModule = Class.class.getMethod("getModule");
            Object base = getModule.invoke(Object.class);
            Object own = getModule.invoke(NativeAccess.class);
            Instrumentation.class
                    .getMethod(
                            "redefineModule", moduleType, java.util.Set.class, java.util.Map.class, java.util.Map.class,
                            java.util.Set.class, java.util.Map.class)
                    .invoke(
                            instrumentation, base, Collections.emptySet(), Collections.emptyMap(),
                            Collections.singletonMap("java.lang", Collections.singleton(own)), Collections.emptySet(),
                            Collections.emptyMap());
            allow.setAccessible(true);
            allow.invoke(null);
        } catch (ReflectiveOperationException | RuntimeException older) {
            // Older versions have no such method, and no warning.
        }
    }
}
