import java.io.ByteArrayOutputStream;
import java.io.File;
import java.nio.file.Path;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Deflater and Inflater: levels, strategies, flushes, headers, dictionaries, and a change of level.
 */
record Streams(File folder, Samples sample, boolean write) {
    private static final int[] STRATEGIES = {Deflater.DEFAULT_STRATEGY, Deflater.FILTERED, Deflater.HUFFMAN_ONLY};
    private static final int[] FLUSHES = {Deflater.NO_FLUSH, Deflater.SYNC_FLUSH, Deflater.FULL_FLUSH};
    private static final byte[] DICTIONARY = "!\"#$%&'() what is known before".getBytes();

    int run() throws Exception {
        int count = 0;
        for (int level = -1; level <= 9; level++)
            for (int strategy : STRATEGIES)
                for (int flush : FLUSHES) {
                    boolean raw = (level + flush) % 2 == 0;
                    boolean dictionary = strategy == Deflater.FILTERED;
                    String name = sample.name() + "." + level + "." + strategy + "." + flush;
                    Path file = folder.toPath().resolve(name);
                    if (write) java.nio.file.Files.write(file, deflate(level, strategy, flush, raw, dictionary));
                    else sample.check(inflate(java.nio.file.Files.readAllBytes(file), raw, dictionary), name);
                    count++;
                }
        return count;
    }

    private byte[] deflate(int level, int strategy, int flush, boolean raw, boolean dictionary) {
        Deflater deflater = new Deflater(level, raw);
        deflater.setStrategy(strategy);
        if (dictionary) deflater.setDictionary(DICTIONARY);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[3000];
        int piece = 17_001;
        for (int at = 0; at < sample.bytes().length; at += piece) {
            if (at == 3 * piece) deflater.setLevel(9 - Math.max(level, 0));
            deflater.setInput(sample.bytes(), at, Math.min(piece, sample.bytes().length - at));
            int count;
            do {
                count = deflater.deflate(buffer, 0, buffer.length, flush);
                out.write(buffer, 0, count);
            } while (count == buffer.length || !deflater.needsInput());
        }
        deflater.finish();
        while (!deflater.finished()) out.write(buffer, 0, deflater.deflate(buffer));
        if (deflater.getBytesRead() != sample.bytes().length || deflater.getBytesWritten() != out.size())
            throw new AssertionError("totals of a Deflater");
        deflater.end();
        return out.toByteArray();
    }

    private byte[] inflate(byte[] stream, boolean raw, boolean dictionary) throws Exception {
        Inflater inflater = new Inflater(raw);
        if (raw && dictionary) inflater.setDictionary(DICTIONARY);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        byte[] buffer = new byte[5000];
        int at = 0;
        while (!inflater.finished()) {
            int count = inflater.inflate(buffer);
            out.write(buffer, 0, count);
            if (inflater.needsDictionary()) inflater.setDictionary(DICTIONARY);
            else if (inflater.needsInput() && count == 0 && !inflater.finished()) {
                int piece = Math.min(4001, stream.length - at);
                if (piece == 0) throw new AssertionError("the stream has no end");
                inflater.setInput(stream, at, piece);
                at += piece;
            }
        }
        if (inflater.getBytesRead() != stream.length || inflater.getBytesWritten() != out.size())
            throw new AssertionError("totals of an Inflater");
        inflater.end();
        return out.toByteArray();
    }
}
