package org.pelton.parquet;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.DataFormatException;
import org.pelton.Deflate;
import org.pelton.Format;
import org.pelton.Inflate;
import org.pelton.PeltonInputStream;

/** Pages of Parquet as gzip: each is compressed and decompressed as a whole. */
final class Pages {
    /** Upper bound of DEFLATE's ratio: a page that claims more is corrupt. */
    private static final int MAX_RATIO = 1032;
    /**
     * Ratio up to which a page's claim of its size is believed; others grow as their bytes come.
     */
    private static final int RATIO = 64;
    /** Size in bytes up to which a claim is believed at any ratio that is possible. */
    private static final int SMALL = 8 << 20;
    /** Bytes of gzip besides its data. */
    private static final int OVERHEAD = 18;

    private static final Inflate INFLATE = new Inflate(Format.GZIP);

    static final AtomicLong COMPRESSED = new AtomicLong();
    static final AtomicLong DECOMPRESSED = new AtomicLong();

    private Pages() {}

    /** Compresses a page. Returns an array that begins with it, and its size by {@code size[0]}. */
    static byte[] compress(Deflate deflate, byte[] page, int length, int[] size) {
        byte[] compressed = new byte[Deflate.maxCompressedLength(length)];
        size[0] = deflate.compress(page, 0, length, compressed, 0, compressed.length);
        COMPRESSED.incrementAndGet();
        return compressed;
    }

    /** Returns a decompressed page, whose size its trailer has. */
    static byte[] decompress(byte[] page, int offset, int length) throws IOException {
        int end = offset + length;
        long claimed = length < OVERHEAD
                ? 0
                : Integer.toUnsignedLong(ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN).getInt(end - 4));
        long believed = Math.min((long) MAX_RATIO * length, Math.max(SMALL, (long) RATIO * length));
        if (claimed <= Math.min(Integer.MAX_VALUE - 8, believed)) {
            byte[] data = new byte[(int) claimed];
            ByteBuffer target = ByteBuffer.wrap(data);
            ByteBuffer source = ByteBuffer.wrap(page, offset, length);
            try {
                if (INFLATE.decompress(source, target) == data.length && !source.hasRemaining()) {
                    DECOMPRESSED.incrementAndGet();
                    return data;
                }
            } catch (DataFormatException error) {
                // It may have several members; the stream below says why if it is corrupt.
            }
        }
        byte[] data = readAll(new PeltonInputStream(new ByteArrayInputStream(page, offset, length)));
        DECOMPRESSED.incrementAndGet();
        return data;
    }

    /** Decompresses a page of a size that its header tells. */
    static void decompress(ByteBuffer page, ByteBuffer target) throws IOException {
        int start = page.position();
        try {
            int n = INFLATE.decompress(page.duplicate(), target.duplicate());
            if (n == target.remaining()) {
                DECOMPRESSED.incrementAndGet();
                ((java.nio.Buffer) target).position(target.limit());
                ((java.nio.Buffer) page).position(page.limit());
                return;
            }
        } catch (DataFormatException error) {
            // As above.
        }
        byte[] copy = new byte[page.remaining()];
        page.get(copy);
        byte[] data = decompress(copy, 0, copy.length);
        if (data.length != target.remaining()) {
            ((java.nio.Buffer) page).position(start);
            throw new IOException(
                    "a page has " + data.length + " bytes, and its header says " + target.remaining());
        }
        target.put(data);
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
