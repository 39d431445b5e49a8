package org.pelton.servers;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;

/**
 * Main class of every child: runs another main class, and ends with its parent.
 *
 * <p>The parent holds the other end of the standard input. Its end means that the parent is gone,
 * even if it was killed.
 */
public final class Child {
    private Child() {}

    /** Runs {@code arguments[0]} with the other arguments. */
    public static void main(String[] arguments) throws Throwable {
        Thread watch = new Thread(Child::endWithParent, "end-with-parent");
        watch.setDaemon(true);
        watch.start();
        try {
            Class.forName(arguments[0])
                    .getMethod("main", String[].class)
                    .invoke(null, (Object) Arrays.copyOfRange(arguments, 1, arguments.length));
        } catch (InvocationTargetException error) {
            throw error.getCause();
        }
    }

    private static void endWithParent() {
        InputStream in = System.in;
        try {
            while (in.read() >= 0) {
                // The parent never writes.
            }
        } catch (IOException error) {
            System.err.println("the parent is out of reach: " + error);
        }
        Runtime.getRuntime().halt(3);
    }
}
