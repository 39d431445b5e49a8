package org.pelton;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Loading of the library, mostly in virtual machines of its own. */
class LoaderTest {
    /** Classes and library of the jar, as the build has put them. */
    private static final String CLASSES =
            new File(Pelton.class.getProtectionDomain().getCodeSource().getLocation().getPath()).getPath();

    private static final class Output {
        final int code;
        final String text;

        Output(int code, String text) {
            this.code = code;
            this.text = text;
        }
    }

    /** Runs {@link Pelton#main} with these options. */
    private static Output run(Path home, String... options) throws Exception {
        return runBy(Arrays.asList(), home, options);
    }

    /** The same by another command, which the one of the virtual machine is appended to. */
    private static Output runBy(List<String> by, Path home, String... options) throws Exception {
        List<String> command = new ArrayList<>(by);
        command.addAll(Arrays.asList(
                Paths.get(System.getProperty("java.home"), "bin", "java").toString(), "-Xshare:auto", "-Xmx64m",
                "-Duser.home=" + home, "-Djava.io.tmpdir=" + home.resolve("tmp")));
        command.addAll(Arrays.asList(options));
        command.addAll(Arrays.asList("-cp", CLASSES, "org.pelton.Pelton"));
        Files.createDirectories(home.resolve("tmp"));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().remove("XDG_CACHE_HOME");
        Process process = builder.start();
        process.getOutputStream().close();
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        byte[] piece = new byte[4096];
        for (int n; (n = process.getInputStream().read(piece)) >= 0; ) {
            text.write(piece, 0, n);
        }
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return new Output(process.exitValue(), text.toString());
    }

    private static List<Path> files(Path folder) throws Exception {
        if (!Files.exists(folder)) {
            return new ArrayList<>();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.collect(Collectors.toList());
        }
    }

    @Test
    void theCacheHoldsOneFileThatIsUsedAgain(@TempDir Path home) throws Exception {
        assertEquals(0, run(home).code);
        List<Path> files = files(home.resolve(".cache/pelton"));
        assertEquals(1, files.size(), files.toString());
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(home.resolve(".cache/pelton"))));
        long written = Files.getLastModifiedTime(files.get(0)).toMillis();
        Output second = run(home);
        assertTrue(second.text.contains("loaded"), second.text);
        assertEquals(files, files(home.resolve(".cache/pelton")));
        assertEquals(written, Files.getLastModifiedTime(files.get(0)).toMillis());
    }

    @Test
    void aDamagedFileOfTheCacheIsReplaced(@TempDir Path home) throws Exception {
        assertEquals(0, run(home).code);
        Path file = files(home.resolve(".cache/pelton")).get(0);
        Files.write(file, new byte[100]);
        Output again = run(home);
        assertEquals(0, again.code, again.text);
        assertTrue(Files.size(file) > 100);
    }

    @Test
    void oldLibrariesOfOtherVersionsAreRemoved(@TempDir Path home) throws Exception {
        Path cache = Files.createDirectories(home.resolve(".cache/pelton"));
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwx------"));
        List<Path> kept = new ArrayList<>();
        long old = System.currentTimeMillis() - TimeUnit.DAYS.toMillis(31);
        for (String name : Arrays.asList("libpelton_jvm-0.so", "libpelton_jvm-1.so.partial", "kernels")) {
            Path file = Files.write(cache.resolve(name), new byte[1]);
            Files.setLastModifiedTime(file, FileTime.fromMillis(old));
        }
        kept.add(cache.resolve("kernels"));
        kept.add(Files.write(cache.resolve("libpelton_jvm-2.so"), new byte[1]));
        assertEquals(0, run(home).code);
        List<Path> files = files(cache);
        assertTrue(files.removeAll(kept), files.toString());
        assertEquals(1, files.size(), files.toString());
        assertTrue(Files.size(files.get(0)) > 1 << 20);
    }

    @Test
    void aFolderThatOthersCanWriteIsNotUsed(@TempDir Path home) throws Exception {
        Path cache = Files.createDirectories(home.resolve(".cache/pelton"));
        Files.setPosixFilePermissions(cache, PosixFilePermissions.fromString("rwxrwxrwx"));
        Output other = run(home);
        assertEquals(0, other.code, other.text);
        assertEquals(0, files(cache).size());
        Output only = run(home, "-Dpelton.native.dir=" + cache);
        assertEquals(1, only.code);
        assertTrue(only.text.contains("chmod 700"), only.text);
    }

    @Test
    void aFolderWithoutExecutionIsLeftForTheNext(@TempDir Path home) throws Exception {
        Path noexec = home.resolve("noexec");
        Files.createDirectories(noexec);
        assumeTrue(
                succeeds("mount", "-t", "tmpfs", "-o", "noexec,size=32m", "none", noexec.toString()),
                "skipped: this user can't mount a file system without execution");
        try {
            Output only = run(home, "-Dpelton.native.dir=" + noexec.resolve("cache"));
            assertEquals(1, only.code);
            assertTrue(only.text.contains("not loaded"), only.text);
            assertTrue(only.text.trim().split("\n").length == 2, "the reason is one line: " + only.text);
            Path inHome = home.resolve("user");
            Files.createDirectories(inHome);
            Output next = run(inHome, "-Duser.home=" + noexec);
            assertEquals(0, next.code, next.text);
            assertEquals(1, files(inHome.resolve("tmp")).size(), "it is in the folder for temporary files");
        } finally {
            assertTrue(succeeds("umount", noexec.toString()));
        }
    }

    /** Returns whether a command succeeds. */
    private static boolean succeeds(String... command) throws Exception {
        File none = new File("/dev/null");
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(none).start().waitFor() == 0;
    }

    @Test
    void twoUsersHaveACacheEach(@TempDir Path home) throws Exception {
        List<String> other = Arrays.asList("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
        List<String> java = new ArrayList<>(other);
        java.addAll(Arrays.asList("test", "-r", CLASSES + "/org/pelton/Pelton.class"));
        assumeTrue(succeeds(java.toArray(new String[0])), "skipped: this user can't run a process of another one");
        Path shared = home.resolve("shared");
        assertEquals(0, run(home, "-Dpelton.native.dir=" + shared).code);
        for (Path folder : new Path[] {home, Files.createDirectories(home.resolve("tmp"))}) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        }
        for (String rights : new String[] {"rwx------", "rwxr-xr-x"}) {
            Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString(rights));
            Output refused = runBy(other, home, "-Dpelton.native.dir=" + shared);
            assertEquals(1, refused.code, refused.text);
            assertTrue(refused.text.contains("belongs to another user"), refused.text);
            assertEquals(1, files(shared).size());
        }
        // Without a folder of theirs, each has one of its own in the same place.
        Output theirs = runBy(other, home, "-Duser.home=" + shared, "-Duser.name=nobody");
        assertEquals(0, theirs.code, theirs.text);
        Output ours = run(home, "-Duser.home=/missing");
        assertEquals(0, ours.code, ours.text);
        assertEquals(2, files(home.resolve("tmp")).size(), files(home.resolve("tmp")).toString());
    }

    @Test
    void aSystemWithMuslIsTold(@TempDir Path home) throws Exception {
        // An overlay that only the new process sees.
        String mount = "mount -t tmpfs none " + home + "/over && mkdir " + home + "/over/changes " + home + "/over/work"
                + " && mount -t overlay none -o lowerdir=/usr/lib,upperdir=" + home + "/over/changes,workdir=" + home
                + "/over/work /usr/lib && touch /usr/lib/ld-musl-x86_64.so.1 /usr/lib/ld-musl-aarch64.so.1";
        Files.createDirectories(home.resolve("over"));
        assumeTrue(
                succeeds("unshare", "-m", "sh", "-c", mount + " && test -e /lib/ld-musl-x86_64.so.1"),
                "skipped: this user can't mount, or /lib is no link to /usr/lib");
        Path wrong = home.resolve("libpelton_jvm.so");
        Files.write(wrong, "no library".getBytes(StandardCharsets.US_ASCII));
        Output told = runBy(
                Arrays.asList("unshare", "-m", "sh", "-c", mount + " && exec \"$@\"", "sh"), home, "-Dpelton.native.path=" + wrong);
        assertEquals(1, told.code, told.text);
        assertTrue(told.text.contains("this system has musl"), told.text);
        assertFalse(run(home, "-Dpelton.native.path=" + wrong).text.contains("musl"));
    }

    @Test
    void aPathThatIsWrongIsAnErrorOfOneLine(@TempDir Path home) throws Exception {
        Output missing = run(home, "-Dpelton.native.path=" + home.resolve("none.so"));
        assertEquals(1, missing.code);
        assertTrue(missing.text.contains("-Dpelton.native.path="), missing.text);
        Path wrong = home.resolve("libpelton_jvm.so");
        Files.write(wrong, "no library".getBytes(StandardCharsets.US_ASCII));
        assertEquals(1, run(home, "-Dpelton.native.path=" + wrong).code);
        Output off = run(home, "-Dpelton.disabled=true");
        assertTrue(off.text.contains("switched off"), off.text);
    }

    @Test
    void theLibraryPathComesFirst(@TempDir Path home) throws Exception {
        Path folder = Files.createDirectories(home.resolve("lib"));
        Files.copy(
                Pelton.class.getResourceAsStream("native/" + Loader.platform() + "/libpelton_jvm.so"),
                folder.resolve("libpelton_jvm.so"));
        Output found = run(home, "-Djava.library.path=" + folder);
        assertEquals(0, found.code, found.text);
        assertEquals(0, files(home.resolve(".cache/pelton")).size(), "nothing is written");
    }

    /**
     * Class loader that defines the classes of the jar itself, under another name if it is asked
     * to.
     */
    private static final class Own extends URLClassLoader {
        Own() throws Exception {
            super(new URL[] {new File(CLASSES + "/").toURI().toURL()}, null);
        }
    }

    @Test
    void twoClassLoadersHaveALibraryEach() throws Exception {
        for (int round = 0; round < 3; round++) {
            try (Own own = new Own()) {
                Class<?> pelton = own.loadClass("org.pelton.Pelton");
                assertTrue(pelton != Pelton.class);
                assertEquals(null, pelton.getMethod("loadError").invoke(null));
                Class<?> format = own.loadClass("org.pelton.Format");
                Object deflate = own.loadClass("org.pelton.Deflate")
                        .getConstructor(format, int.class)
                        .newInstance(format.getField("ZLIB").get(null), 6);
                byte[] data = Samples.data(0, 10000, 1);
                byte[] block = (byte[]) deflate.getClass().getMethod("compress", byte[].class).invoke(deflate, (Object) data);
                byte[] back = new byte[data.length];
                new Inflate(Format.ZLIB).decompress(block, 0, block.length, back, 0, back.length);
                assertTrue(Arrays.equals(data, back));
            }
        }
    }

    /**
     * Class loader for classes that were moved to another package, as tools for one large jar do.
     */
    private static final class Moved extends ClassLoader {
        Moved() {
            super(null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            try (InputStream in = Pelton.class.getClassLoader().getResourceAsStream(name.replace("org.qelton", "org.pelton").replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                ByteArrayOutputStream all = new ByteArrayOutputStream();
                for (int b; (b = in.read()) >= 0; ) {
                    all.write(b);
                }
                // A name of the same length needs no other change of the class file.
                byte[] bytes = new String(all.toByteArray(), StandardCharsets.ISO_8859_1)
                        .replace("org/pelton", "org/qelton").getBytes(StandardCharsets.ISO_8859_1);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (java.io.IOException error) {
                throw new ClassNotFoundException(name, error);
            }
        }

        @Override
        public URL getResource(String name) {
            return Pelton.class.getClassLoader().getResource(name.replace("org/qelton", "org/pelton"));
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            return Pelton.class.getClassLoader().getResourceAsStream(name.replace("org/qelton", "org/pelton"));
        }
    }

    @Test
    void movedClassesFindTheLibrary() throws Exception {
        Class<?> pelton = new Moved().loadClass("org.qelton.Pelton");
        assertEquals("org.qelton.Pelton", pelton.getName());
        assertEquals(null, pelton.getMethod("loadError").invoke(null));
        assertNotNull(pelton.getMethod("version").invoke(null));
    }
}
