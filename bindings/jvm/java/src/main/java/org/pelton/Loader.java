package org.pelton;

import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.zip.Adler32;
import java.util.zip.CRC32;

/**
 * Loading of the library: from {@code pelton.native.path}, from {@code java.library.path}, or from
 * the jar by way of a folder for caches.
 *
 * <p>A file of the cache is named by a hash of its contents, belongs to this user, and is in a
 * folder that nobody else can write. The folders are {@code pelton.native.dir}, or, one after the
 * other until a library can be loaded from it, the user's cache, {@code java.io.tmpdir} and {@code
 * /dev/shm}: any of them may be mounted without execution.
 */
final class Loader {
    private static final String NAME = "pelton_jvm";
    /** Property that names the class to bind, for the library. */
    private static final String CLASS_PROPERTY = "pelton.native.class";

    /** Milliseconds after which the library of another version is removed: thirty days. */
    private static final long OLD = 30L * 24 * 60 * 60 * 1000;

    private Loader() {}

    /** Loads the library and binds the class. Returns null, or why that failed. */
    static String load(Class<?> bound) {
        if (Boolean.getBoolean("pelton.disabled")) {
            return "Pelton is switched off by -Dpelton.disabled=true";
        }
        // The property is one for the whole virtual machine, and so is the lock around its use.
        synchronized (Runtime.getRuntime()) {
            try {
                System.setProperty(CLASS_PROPERTY, bound.getName().replace('.', '/'));
                try {
                    return new Loader().find(bound);
                } finally {
                    System.clearProperty(CLASS_PROPERTY);
                }
            } catch (SecurityException refused) {
                return "a security manager refuses it: " + refused.getMessage();
            }
        }
    }

    private final List<String> failures = new ArrayList<>();

    private String find(Class<?> bound) {
        String path = System.getProperty("pelton.native.path");
        if (path != null) {
            return tryFile(Paths.get(path).toAbsolutePath()) ? null : failure("-Dpelton.native.path=" + path);
        }
        try {
            System.loadLibrary(NAME);
            return null;
        } catch (UnsatisfiedLinkError missing) {
            // Mostly it is not there, which is no failure. A library of another version is one.
            String message = String.valueOf(missing.getMessage());
            if (!message.contains("java.library.path")) {
                failures.add("java.library.path: " + message);
            }
        }
        byte[] library;
        try {
            library = resource(bound);
        } catch (IOException error) {
            return "the library can't be read from the jar: " + error.getMessage();
        }
        if (library == null) {
            return "the jar has no library for " + platform() + "; build one with `make jvm` on such a machine";
        }
        String file = "lib" + NAME + "-" + hash(library) + ".so";
        for (Path folder : folders()) {
            try {
                if (loadFrom(folder, file, library)) {
                    return null;
                }
            } catch (IOException error) {
                failures.add(folder + ": " + error);
            }
        }
        return failure("the library of the jar");
    }

    private String failure(String what) {
        String hint = isMusl() ? "; it needs glibc, and this system has musl" : "";
        return what + " can't be loaded: " + String.join("; ", failures).replace('\n', ' ') + hint;
    }

    private boolean tryFile(Path path) {
        try {
            System.load(path.toString());
            return true;
        } catch (UnsatisfiedLinkError error) {
            failures.add(path + ": " + error.getMessage());
            return false;
        }
    }

    /** Returns the library in the jar for this platform, or null. */
    private static byte[] resource(Class<?> bound) throws IOException {
        // Relative to the class, as shading moves both.
        try (InputStream in = bound.getResourceAsStream("native/" + platform() + "/lib" + NAME + ".so")) {
            return in == null ? null : readAll(in);
        }
    }

    private static byte[] readAll(InputStream in) throws IOException {
        java.io.ByteArrayOutputStream all = new java.io.ByteArrayOutputStream(4 << 20);
        byte[] piece = new byte[64 << 10];
        for (int n; (n = in.read(piece)) >= 0; ) {
            all.write(piece, 0, n);
        }
        return all.toByteArray();
    }

    /** Returns operating system and processor, as the folders in the jar are named. */
    static String platform() {
        String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT).split(" ")[0];
        String processor = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        switch (processor) {
            case "amd64":
                processor = "x86_64";
                break;
            case "arm64":
                processor = "aarch64";
                break;
            default:
        }
        return system + "-" + processor;
    }

    private static boolean isMusl() {
        return Files.exists(Paths.get("/lib/ld-musl-x86_64.so.1")) || Files.exists(Paths.get("/lib/ld-musl-aarch64.so.1"));
    }

    /**
     * Returns a hash that tells builds apart. It is made at each start, where SHA-256 of a library
     * takes 50 ms and more.
     */
    private static String hash(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes, 0, bytes.length);
        Adler32 adler = new Adler32();
        adler.update(bytes, 0, bytes.length);
        String digits = Long.toHexString(1L << 32 | crc.getValue()).substring(1);
        return digits + Long.toHexString(1L << 32 | adler.getValue()).substring(1);
    }

    private static List<Path> folders() {
        List<Path> folders = new ArrayList<>();
        String chosen = System.getProperty("pelton.native.dir");
        if (chosen != null) {
            Path folder = Paths.get(chosen).toAbsolutePath();
            try {
                // A link that the user names is no trap.
                folder = folder.toRealPath();
            } catch (IOException missing) {
                // It will be made.
            }
            folders.add(folder);
            return folders;
        }
        String user = user();
        String cache = System.getenv("XDG_CACHE_HOME");
        String home = System.getProperty("user.home", "");
        if (cache != null && cache.startsWith("/")) {
            folders.add(Paths.get(cache, "pelton"));
        } else if (home.startsWith("/") && Files.isDirectory(Paths.get(home))) {
            folders.add(Paths.get(home, ".cache", "pelton"));
        }
        folders.add(Paths.get(System.getProperty("java.io.tmpdir", "/tmp"), "pelton-" + user).toAbsolutePath());
        folders.add(Paths.get("/dev/shm", "pelton-" + user));
        return folders;
    }

    /**
     * Returns a name for the user's folders: that of the process's owner, which may be a number.
     */
    private static String user() {
        String name = System.getProperty("user.name", "?");
        try {
            name = name.equals("?") ? Files.getOwner(Paths.get("/proc/self")).getName() : name;
        } catch (IOException unknown) {
            // Then the folder of an unknown user is tried.
        }
        return name.replaceAll("[^A-Za-z0-9._-]", "_");
    }

    /** Loads the library from a folder, where it is written unless it is there. */
    private boolean loadFrom(Path folder, String name, byte[] library) throws IOException {
        makePrivate(folder);
        Path file = folder.resolve(name);
        if (!isOurs(file, library)) {
            write(file, library);
            removeOld(folder, file);
        }
        try {
            System.load(file.toString());
            return true;
        } catch (UnsatisfiedLinkError error) {
            String message = String.valueOf(error.getMessage());
            if (!message.contains("another classloader")) {
                failures.add(folder + ": " + message);
                return false;
            }
        }
        // A file is loaded by one class loader only, so another one gets a copy, which can go once
        // it is mapped.
        Path copy = folder.resolve(name.replace(".so", "-" + UUID.randomUUID() + ".so"));
        try {
            write(copy, library);
            return tryFile(copy);
        } finally {
            Files.deleteIfExists(copy);
        }
    }

    /**
     * Removes the libraries of other versions that were written long ago, and incomplete ones. A
     * virtual machine that uses one keeps it, and the next one of its version writes it again.
     */
    private static void removeOld(Path folder, Path used) throws IOException {
        long limit = System.currentTimeMillis() - OLD;
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "lib" + NAME + "-*.so*")) {
            for (Path file : files) {
                if (!file.equals(used) && Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis() < limit) {
                    Files.deleteIfExists(file);
                }
            }
        } catch (NoSuchFileException removed) {
            // Another virtual machine was faster.
        }
    }

    /** Makes a folder that only this user can write, or checks that it is one. */
    private static void makePrivate(Path folder) throws IOException {
        if (!Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            if (folder.getParent() != null) {
                Files.createDirectories(folder.getParent());
            }
            try {
                Files.createDirectory(folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } catch (java.nio.file.FileAlreadyExistsException other) {
                // Another process was faster; what it made is checked below.
            }
        }
        if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("it is no folder");
        }
        Set<PosixFilePermission> rights = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
        if (rights.contains(PosixFilePermission.GROUP_WRITE) || rights.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException("others can write to it: chmod 700 " + folder);
        }
        if (!isOwned(folder)) {
            throw new IOException("it belongs to another user");
        }
    }

    /**
     * Returns whether this process's user owns a file: the owner of /proc/self, where there is one.
     */
    private static boolean isOwned(Path path) throws IOException {
        Path self = Paths.get("/proc/self");
        return !Files.exists(self)
                || Files.getOwner(path, LinkOption.NOFOLLOW_LINKS).equals(Files.getOwner(self));
    }

    private static boolean isOurs(Path file, byte[] library) throws IOException {
        return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                && isOwned(file)
                && Files.size(file) == library.length
                && java.util.Arrays.equals(Files.readAllBytes(file), library);
    }

    /** Writes a file that appears complete. */
    private static void write(Path file, byte[] bytes) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + "." + UUID.randomUUID());
        try {
            try (FileChannel out =
                    FileChannel.open(temporary, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                java.nio.ByteBuffer rest = java.nio.ByteBuffer.wrap(bytes);
                while (rest.hasRemaining()) {
                    out.write(rest);
                }
                out.force(true);
            }
            Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwx------"));
            try {
                Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            } catch (AtomicMoveNotSupportedException unsupported) {
                Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
            }
        } finally {
            Files.deleteIfExists(temporary);
        }
    }
}
