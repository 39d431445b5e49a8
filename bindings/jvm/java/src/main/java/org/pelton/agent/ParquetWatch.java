package org.pelton.agent;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;

/**
 * Watch for Parquet: when its class with the table of codecs is loaded, Pelton's are put there.
 *
 * <p>That needs Parquet on the class path, where the agent's jar is too. A Parquet of another class
 * loader keeps its own codecs, of which gzip works on {@code java.util.zip}, and so on the agent.
 */
final class ParquetWatch implements ClassFileTransformer {
    private static final String WATCHED = "org/apache/parquet/hadoop/CodecFactory";

    private final Instrumentation instrumentation;

    private ParquetWatch(Instrumentation instrumentation) {
        this.instrumentation = instrumentation;
    }

    static void start(Instrumentation instrumentation) {
        instrumentation.addTransformer(new ParquetWatch(instrumentation));
        for (Class<?> loaded : instrumentation.getAllLoadedClasses()) {
            if (loaded.getName().replace('.', '/').equals(WATCHED)
                    && loaded.getClassLoader() == ClassLoader.getSystemClassLoader()) {
                install();
            }
        }
    }

    /** Changes no class. */
    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> redefined, ProtectionDomain domain, byte[] bytes) {
        if (WATCHED.equals(name) && loader == ClassLoader.getSystemClassLoader()) {
            instrumentation.removeTransformer(this);
            // The class is there only when this method has returned.
            Thread thread = new Thread(ParquetWatch::install, "pelton-parquet");
            thread.setDaemon(true);
            thread.start();
        }
        return null;
    }

    private static void install() {
        try {
            Object refusal = Class.forName("org.pelton.parquet.PeltonParquet").getMethod("install").invoke(null);
            if (refusal != null) {
                System.err.println("pelton: warning: Parquet keeps its own codecs: " + refusal);
            }
        } catch (ReflectiveOperationException | LinkageError error) {
            System.err.println("pelton: warning: Parquet keeps its own codecs: " + error);
        }
    }
}
