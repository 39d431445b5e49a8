package org.pelton.parquet;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DoNotPool;

/**
 * Decompressor of Hadoop's interface for pages of Parquet: its input is one page.
 *
 * <p>The page is decompressed as a whole by the first call, straight to the caller's array if that
 * has the room. Parquet's readers ask for a whole page. A page of LZ4 has to be asked for so, as
 * its size is stored in Parquet's header alone.
 *
 * <p>Hadoop's pool does not keep it, as it would mix up the formats; it has no memory besides the
 * page.
 */
@DoNotPool
final class PageDecompressor implements Decompressor {
    private final PageFormat format;
    private ByteBuffer input;
    /** Bytes that the first call had no room for; null before it. */
    private ByteBuffer rest;

    PageDecompressor(PageFormat format) {
        this.format = format;
    }

    @Override
    public synchronized void setInput(byte[] source, int offset, int length) {
        if ((offset | length) < 0 || offset > source.length - length) {
            throw new ArrayIndexOutOfBoundsException(
                    "offset " + offset + " and length " + length + " do not fit into " + source.length + " bytes");
        }
        input = ByteBuffer.wrap(source, offset, length);
        rest = null;
    }

    @Override
    public synchronized int decompress(byte[] target, int offset, int length) throws IOException {
        if (input == null || length == 0) {
            return 0;
        }
        if (rest == null) {
            ByteBuffer to = ByteBuffer.wrap(target, offset, length);
            rest = Pages.decompress(format, input, to);
            return to.position() - offset;
        }
        int piece = Math.min(length, rest.remaining());
        rest.get(target, offset, piece);
        return piece;
    }

    @Override
    public synchronized boolean needsInput() {
        return input == null;
    }

    @Override
    public synchronized boolean finished() {
        return rest != null && !rest.hasRemaining();
    }

    @Override
    public synchronized int getRemaining() {
        return input != null && rest == null ? input.remaining() : 0;
    }

    @Override
    public boolean needsDictionary() {
        return false;
    }

    @Override
    public void setDictionary(byte[] dictionary, int offset, int length) {
        throw new UnsupportedOperationException("a preset dictionary is not supported");
    }

    @Override
    public synchronized void reset() {
        input = rest = null;
    }

    @Override
    public void end() {
        reset();
    }
}
