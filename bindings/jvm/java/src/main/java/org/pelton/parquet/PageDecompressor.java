package org.pelton.parquet;

import java.io.IOException;
import org.apache.hadoop.io.compress.Decompressor;

/**
 * Decompressor of Hadoop's interface for pages of Parquet: its input is one page.
 *
 * <p>Parquet's factory for direct buffers takes a page from one call. So the page is decompressed
 * as a whole by the first. Hadoop keeps decompressors in a pool for ever; one that is reset has
 * nothing but its fields.
 */
final class PageDecompressor implements Decompressor {
    private byte[] input;
    private int inputAt;
    private int inputLength;
    private byte[] page;
    private int at;

    @Override
    public synchronized void setInput(byte[] source, int offset, int length) {
        if ((offset | length) < 0 || offset > source.length - length) {
            throw new ArrayIndexOutOfBoundsException(
                    "offset " + offset + " and length " + length + " do not fit into " + source.length + " bytes");
        }
        input = source;
        inputAt = offset;
        inputLength = length;
        page = null;
        at = 0;
    }

    @Override
    public synchronized int decompress(byte[] target, int offset, int length) throws IOException {
        if (input == null) {
            return 0;
        }
        if (page == null) {
            page = Pages.decompress(input, inputAt, inputLength);
        }
        int piece = Math.min(length, page.length - at);
        System.arraycopy(page, at, target, offset, piece);
        at += piece;
        return piece;
    }

    @Override
    public synchronized boolean needsInput() {
        return input == null;
    }

    @Override
    public synchronized boolean finished() {
        return page != null && at == page.length;
    }

    @Override
    public synchronized int getRemaining() {
        return page == null ? inputLength : 0;
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
        input = page = null;
        inputAt = inputLength = at = 0;
    }

    @Override
    public void end() {
        reset();
    }
}
