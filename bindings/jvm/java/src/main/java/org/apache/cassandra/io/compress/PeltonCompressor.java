package org.apache.cassandra.io.compress;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.zip.DataFormatException;
import org.pelton.Deflate;
import org.pelton.Format;
import org.pelton.Inflate;

/**
 * Compressor for Cassandra's tables, with the same format as its {@code DeflateCompressor}: zlib.
 *
 * <pre>{@code
 * ALTER TABLE t WITH compression = {'class': 'PeltonCompressor', 'level': 6};
 * }</pre>
 *
 * <p>The class becomes part of the schema and of each table file. So every node and tool needs the
 * jar from then on; docs/jvm.md says how to go back. {@code DeflateCompressor} with the agent needs
 * no change of the schema.
 *
 * <p>It is in Cassandra's package because table files hold the class's name without its package:
 * after a restart, Cassandra looks for it there, and takes the files of a compressor in another
 * package for corrupt.
 */
public final class PeltonCompressor implements ICompressor {
    private static final String LEVEL = "level";

    private final Deflate deflate;
    private final Inflate inflate = new Inflate(Format.ZLIB);

    private PeltonCompressor(int level) {
        deflate = new Deflate(Format.ZLIB, level);
    }

    /**
     * Returns a compressor, for Cassandra.
     *
     * @param options {@code level}, 1 to 9, with 6 as default
     * @throws IllegalArgumentException for another level
     */
    public static PeltonCompressor create(Map<String, String> options) {
        String level = options.getOrDefault(LEVEL, "6");
        if (!level.matches("[1-9]")) {
            throw new IllegalArgumentException("the compression option 'level' is " + level + ", not one of 1 to 9");
        }
        return new PeltonCompressor(Integer.parseInt(level));
    }

    @Override
    public int initialCompressedBufferLength(int chunkLength) {
        return Deflate.maxCompressedLength(chunkLength);
    }

    @Override
    public void compress(ByteBuffer input, ByteBuffer output) throws IOException {
        try {
            deflate.compress(input, output);
        } catch (IllegalArgumentException error) {
            throw new IOException(error.getMessage(), error);
        }
    }

    @Override
    public int uncompress(byte[] input, int inputOffset, int inputLength, byte[] output, int outputOffset)
            throws IOException {
        try {
            // Cassandra may give more bytes than those of the chunk.
            ByteBuffer source = ByteBuffer.wrap(input, inputOffset, inputLength);
            ByteBuffer target = ByteBuffer.wrap(output, outputOffset, output.length - outputOffset);
            return inflate.decompress(source, target);
        } catch (DataFormatException error) {
            throw new IOException("a compressed chunk can't be read: " + error.getMessage(), error);
        }
    }

    @Override
    public void uncompress(ByteBuffer input, ByteBuffer output) throws IOException {
        try {
            inflate.decompress(input, output);
        } catch (DataFormatException error) {
            throw new IOException("a compressed chunk can't be read: " + error.getMessage(), error);
        }
    }

    @Override
    public BufferType preferredBufferType() {
        return BufferType.OFF_HEAP;
    }

    @Override
    public boolean supports(BufferType type) {
        return true;
    }

    @Override
    public Set<String> supportedOptions() {
        return Collections.unmodifiableSet(new java.util.HashSet<>(Arrays.asList(LEVEL)));
    }

    @Override
    public Set<Uses> recommendedUses() {
        return EnumSet.of(Uses.GENERAL);
    }
}
