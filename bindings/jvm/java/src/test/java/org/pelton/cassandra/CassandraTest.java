package org.pelton.cassandra;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import org.apache.cassandra.io.compress.BufferType;
import org.apache.cassandra.io.compress.PeltonCompressor;
import org.junit.jupiter.api.Test;
import org.pelton.Samples;

/** {@link PeltonCompressor} on chunks as Cassandra passes them. */
class CassandraTest {
    @Test
    void chunksAreZlibStreams() throws Exception {
        for (String level : new String[] {"1", "6", "9"}) {
            PeltonCompressor compressor = PeltonCompressor.create(Collections.singletonMap("level", level));
            for (int kind = 0; kind < 5; kind++) {
                for (int length : new int[] {1, 4096, 16384, 65536}) {
                    byte[] chunk = Samples.data(kind, length, 1);
                    for (boolean direct : new boolean[] {true, false}) {
                        ByteBuffer output = Samples.buffer(new byte[compressor.initialCompressedBufferLength(length)], direct);
                        compressor.compress(Samples.buffer(chunk, direct), output);
                        byte[] compressed = Samples.written(output);
                        Inflater inflater = new Inflater();
                        inflater.setInput(compressed);
                        byte[] back = new byte[length];
                        assertEquals(length, inflater.inflate(back));
                        assertTrue(inflater.finished() || inflater.inflate(new byte[1]) == 0);
                        assertArrayEquals(chunk, back);
                        ByteBuffer target = Samples.buffer(new byte[length], direct);
                        compressor.uncompress(Samples.buffer(compressed, direct), target);
                        assertArrayEquals(chunk, Samples.written(target));
                    }
                    Deflater deflater = new Deflater();
                    deflater.setInput(chunk);
                    deflater.finish();
                    byte[] theirs = new byte[length + 100];
                    int n = deflater.deflate(theirs);
                    byte[] back = new byte[length + 10];
                    assertEquals(length, compressor.uncompress(theirs, 0, n, back, 10));
                    assertArrayEquals(chunk, Arrays.copyOfRange(back, 10, length + 10));
                }
            }
        }
    }

    @Test
    void mistakesAreNamed() {
        assertThrows(IllegalArgumentException.class, () -> PeltonCompressor.create(Collections.singletonMap("level", "0")));
        assertThrows(IllegalArgumentException.class, () -> PeltonCompressor.create(Collections.singletonMap("level", "six")));
        PeltonCompressor compressor = PeltonCompressor.create(Collections.emptyMap());
        assertTrue(compressor.supports(BufferType.ON_HEAP) && compressor.supports(BufferType.OFF_HEAP));
        assertTrue(compressor.supportedOptions().contains("level"));
        IOException error = assertThrows(IOException.class, () -> compressor.uncompress(new byte[100], 0, 100, new byte[100], 0));
        assertTrue(error.getMessage().contains("chunk"), error.getMessage());
        assertThrows(IOException.class, () -> compressor.compress(ByteBuffer.wrap(Samples.data(1, 1000, 1)), ByteBuffer.allocate(10)));
    }
}
