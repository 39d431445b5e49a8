package org.pelton.parquet;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.pelton.Deflate;
import org.pelton.Lz4;

/** Pages of Parquet, counted: each is compressed and decompressed as a whole. */
final class Pages {
    static final AtomicLong COMPRESSED = new AtomicLong();
    static final AtomicLong DECOMPRESSED = new AtomicLong();

    private Pages() {}

    /** Compression of pages. */
    interface Compression {
        /**
         * Compresses the first {@code length} bytes of an array. Returns an array that begins with
         * the compressed page, and its size by {@code size[0]}.
         */
        byte[] compress(byte[] page, int length, int[] size) throws IOException;
    }

    /** Returns compression to gzip. */
    static Compression gzip(Deflate deflate) {
        return (page, length, size) -> {
            byte[] compressed = new byte[Deflate.maxCompressedLength(length)];
            size[0] = deflate.compress(page, 0, length, compressed, 0, compressed.length);
            COMPRESSED.incrementAndGet();
            return compressed;
        };
    }

    /** Compresses to a block of LZ4. */
    static byte[] lz4(byte[] page, int length, int[] size) throws IOException {
        if (length > Lz4.MAX_LENGTH) {
            throw new IOException("a page of " + length + " bytes is too long for LZ4: write smaller pages");
        }
        byte[] compressed = new byte[Lz4.maxCompressedLength(length)];
        size[0] = Lz4.compress(ByteBuffer.wrap(page, 0, length), ByteBuffer.wrap(compressed));
        COMPRESSED.incrementAndGet();
        return compressed;
    }

    /**
     * Decompresses a page as {@link PageFormat#decompress} does. A page without values may have no
     * byte in either form.
     */
    static ByteBuffer decompress(PageFormat format, ByteBuffer page, ByteBuffer target) throws IOException {
        if (!page.hasRemaining() && !target.hasRemaining()) {
            return target;
        }
        ByteBuffer rest = format.decompress(page, target);
        DECOMPRESSED.incrementAndGet();
        return rest;
    }

    /**
     * Returns a decompressed page of a size that its header tells. More memory than the page's own
     * bytes make likely is not allocated before the data is there.
     *
     * @throws IOException if the page is corrupt or has another size
     */
    static byte[] decompress(PageFormat format, byte[] page, int size) throws IOException {
        byte[] data = new byte[(int) Math.min(size, format.believed(page.length))];
        ByteBuffer target = ByteBuffer.wrap(data);
        ByteBuffer rest = decompress(format, ByteBuffer.wrap(page), target);
        int length = target.position();
        checkSize(length + (long) rest.remaining(), size);
        if (!rest.hasRemaining()) {
            return data;
        }
        byte[] all = Arrays.copyOf(data, size);
        rest.get(all, length, size - length);
        return all;
    }

    /**
     * Decompresses a page to a buffer that has just the room for it, and moves both positions.
     *
     * @throws IOException as above; the positions stay
     */
    static void fill(PageFormat format, ByteBuffer page, ByteBuffer target) throws IOException {
        ByteBuffer data = target.duplicate();
        ByteBuffer rest = decompress(format, page, data);
        checkSize((long) target.remaining() - data.remaining() + rest.remaining(), target.remaining());
        ((java.nio.Buffer) target).position(target.limit());
        ((java.nio.Buffer) page).position(page.limit());
    }

    private static void checkSize(long length, int size) throws IOException {
        if (length != size) {
            throw new IOException("a page has " + length + " bytes, and its header says " + size);
        }
    }

    /** Reads a stream to its end. */
    static byte[] readAll(InputStream in) throws IOException {
        byte[] all = new byte[Math.max(512, in.available())];
        int length = 0;
        while (true) {
            int n = in.read(all, length, all.length - length);
            if (n < 0) {
                return Arrays.copyOf(all, length);
            }
            length += n;
            if (length == all.length) {
                // Parquet's streams throw at their end if they are asked for a byte by itself.
                byte[] one = new byte[1];
                if (in.read(one, 0, 1) < 0) {
                    return all;
                }
                all = Arrays.copyOf(all, (int) Math.min(Integer.MAX_VALUE - 8L, 2L * length));
                all[length++] = one[0];
            }
        }
    }
}
