import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.nio.ByteBuffer;
import java.util.Map;
import org.apache.cassandra.io.compress.DeflateCompressor;

/**
 * Chunks of several lengths, as in a table, in buffers on and off the heap; prints the number of
 * files.
 */
class Exchange {
    private static final DeflateCompressor COMPRESSOR = DeflateCompressor.create(Map.of());

    public static void main(String[] arguments) throws Exception {
        int count = 0;
        for (Samples sample : Samples.all())
            for (int chunk : new int[] {4 << 10, 16 << 10, 64 << 10})
                for (boolean direct : new boolean[] {false, true}) {
                    File file = new File(arguments[1], sample.name() + "." + chunk + "." + direct);
                    if (arguments[0].equals("write")) write(file, sample.bytes(), chunk, direct);
                    else sample.check(read(file, direct), file.getName());
                    count++;
                }
        System.out.println(count);
    }

    private static ByteBuffer buffer(int length, boolean direct) {
        return direct ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
    }

    private static void write(File file, byte[] bytes, int chunk, boolean direct) throws Exception {
        try (DataOutputStream out = new DataOutputStream(new FileOutputStream(file))) {
            for (int at = 0; at < bytes.length; at += chunk) {
                int length = Math.min(chunk, bytes.length - at);
                ByteBuffer plain = buffer(length, direct).put(bytes, at, length).flip();
                ByteBuffer packed = buffer(COMPRESSOR.initialCompressedBufferLength(length), direct);
                COMPRESSOR.compress(plain, packed);
                byte[] result = new byte[packed.flip().remaining()];
                packed.get(result);
                out.writeInt(length);
                out.writeInt(result.length);
                out.write(result);
            }
        }
    }

    private static byte[] read(File file, boolean direct) throws Exception {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        try (DataInputStream in = new DataInputStream(new FileInputStream(file))) {
            while (in.available() > 0) {
                ByteBuffer plain = buffer(in.readInt(), direct);
                byte[] stored = in.readNBytes(in.readInt());
                COMPRESSOR.uncompress(buffer(stored.length, direct).put(stored).flip(), plain);
                byte[] result = new byte[plain.flip().remaining()];
                plain.get(result);
                all.write(result);
            }
        }
        return all.toByteArray();
    }
}
