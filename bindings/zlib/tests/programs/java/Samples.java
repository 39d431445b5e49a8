import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Input data, the same in every run. */
record Samples(String name, byte[] bytes) {
    static List<Samples> all() {
        return List.of(new Samples("empty", new byte[0]), new Samples("short", make(40, 3)),
            new Samples("text", make(200_000, 8)), new Samples("noise", make(100_000, 256)));
    }

    /** Returns bytes of a number of kinds, with near and far repetitions. */
    private static byte[] make(int length, int kinds) {
        Random random = new Random(length);
        byte[] bytes = new byte[length];
        int at = 0;
        while (at < length) {
            int run = Math.min(length - at, 1 + random.nextInt(60));
            if (at > run && random.nextInt(3) == 0) {
                System.arraycopy(bytes, random.nextInt(at - run), bytes, at, run);
            } else {
                for (int i = 0; i < run; i++) bytes[at + i] = (byte) (32 + random.nextInt(kinds));
            }
            at += run;
        }
        return bytes;
    }

    void check(byte[] got, String where) {
        if (!Arrays.equals(got, bytes)) throw new AssertionError(where + ": " + got.length + " other bytes");
    }
}
