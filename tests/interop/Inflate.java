import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.Inflater;

/**
 * Inflates raw DEFLATE streams with java.util.zip and compares them with what they were made of:
 * see inflate.py.
 */
class Inflate {
    public static void main(String[] arguments) throws Exception {
        ByteBuffer data = ByteBuffer.wrap(Files.readAllBytes(Path.of(arguments[0]))).order(ByteOrder.LITTLE_ENDIAN);
        int streams = 0;
        for (; data.hasRemaining(); streams++) {
            byte[] plain = new byte[data.getInt()];
            byte[] packed = new byte[data.getInt()];
            data.get(plain).get(packed);
            Inflater inflater = new Inflater(true);
            inflater.setInput(packed);
            // One byte more, to see output that goes on.
            byte[] found = new byte[plain.length + 1];
            int length = inflater.inflate(found);
            boolean isSame = length == plain.length && Arrays.equals(Arrays.copyOf(found, length), plain);
            if (!isSame || !inflater.finished() || inflater.getRemaining() != 0) {
                System.err.println("stream " + streams + ", of " + plain.length + " bytes: " + length + " came out");
                System.exit(1);
            }
            inflater.end();
        }
        System.out.println(streams);
    }
}
