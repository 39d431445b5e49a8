package org.pelton.parquet;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.DataFormatException;
import org.pelton.Format;
import org.pelton.Inflate;
import org.pelton.Lz4;
import org.pelton.PeltonInputStream;
import org.pelton.Snappy;

/** Formats of pages, each of which is decompressed as a whole. */
enum PageFormat {
    /** Members of gzip; the last four bytes of each are its size. */
    GZIP {
        @Override
        long believed(int length) {
            return Math.min((long) MAX_RATIO * length, Math.max(SMALL, (long) RATIO * length));
        }

        @Override
        ByteBuffer decompress(ByteBuffer page, ByteBuffer target) throws IOException {
            int length = page.remaining();
            long claimed = length < OVERHEAD
                    ? 0
                    : Integer.toUnsignedLong(page.duplicate().order(ByteOrder.LITTLE_ENDIAN).getInt(page.limit() - 4));
            boolean fits = claimed <= target.remaining();
            if (claimed <= Math.min(Integer.MAX_VALUE - 8, Math.max(target.remaining(), believed(length)))) {
                ByteBuffer data = fits ? target.duplicate() : ByteBuffer.allocate((int) claimed);
                ByteBuffer rest = page.duplicate();
                try {
                    if (INFLATE.decompress(rest, data) == claimed && !rest.hasRemaining()) {
                        if (!fits) {
                            ((java.nio.Buffer) data).flip();
                            return move(data, target);
                        }
                        ((java.nio.Buffer) target).position(data.position());
                        return NOTHING;
                    }
                } catch (DataFormatException error) {
                    // It may have several members; the stream below says why if it is corrupt.
                }
            }
            byte[] copy = new byte[length];
            page.duplicate().get(copy);
            byte[] data = Pages.readAll(new PeltonInputStream(new ByteArrayInputStream(copy)));
            return move(ByteBuffer.wrap(data), target);
        }
    },

    /** A block of LZ4, which does not tell its size: the target has to be as large. */
    LZ4 {
        @Override
        long believed(int length) {
            return Lz4.maxDecompressedLength(length);
        }

        @Override
        ByteBuffer decompress(ByteBuffer page, ByteBuffer target) throws IOException {
            try {
                Lz4.decompress(page.duplicate(), target);
                return NOTHING;
            } catch (DataFormatException error) {
                throw new IOException("a page of LZ4 can't be decompressed: " + error.getMessage());
            }
        }
    },

    /** A block of Snappy, which begins with its size. */
    SNAPPY {
        @Override
        long believed(int length) {
            return Snappy.maxDecompressedLength(length);
        }

        @Override
        ByteBuffer decompress(ByteBuffer page, ByteBuffer target) throws IOException {
            try {
                int size = Snappy.decompressedLength(page);
                if (size <= target.remaining()) {
                    Snappy.decompress(page.duplicate(), target);
                    return NOTHING;
                }
                ByteBuffer data = ByteBuffer.allocate(size);
                Snappy.decompress(page.duplicate(), data);
                ((java.nio.Buffer) data).flip();
                return move(data, target);
            } catch (DataFormatException error) {
                throw new IOException("a page of Snappy can't be decompressed: " + error.getMessage());
            }
        }
    };

    /** Upper bound of DEFLATE's ratio: a page that claims more is corrupt. */
    private static final int MAX_RATIO = 1032;
    /**
     * Ratio up to which a gzip page's claim of its size is believed; others grow as their bytes
     * come.
     */
    private static final int RATIO = 64;
    /** Size in bytes up to which a claim is believed at any ratio that is possible. */
    private static final int SMALL = 8 << 20;
    /** Bytes of gzip besides its data. */
    private static final int OVERHEAD = 18;

    private static final Inflate INFLATE = new Inflate(Format.GZIP);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    /**
     * Returns up to which size in bytes memory may be allocated for the claimed size of a page of
     * {@code length} bytes.
     */
    abstract long believed(int length);

    /**
     * Decompresses a page to the target as far as it has room, and moves the target's position.
     *
     * @return the bytes for which the target had no room
     * @throws IOException if the page is corrupt, or does not tell its size and needs a larger
     *     target
     */
    abstract ByteBuffer decompress(ByteBuffer page, ByteBuffer target) throws IOException;

    /** Moves bytes to a target as far as it has room. Returns the others. */
    private static ByteBuffer move(ByteBuffer data, ByteBuffer target) {
        int end = data.limit();
        ((java.nio.Buffer) data).limit(data.position() + Math.min(data.remaining(), target.remaining()));
        target.put(data);
        ((java.nio.Buffer) data).limit(end);
        return data;
    }
}
