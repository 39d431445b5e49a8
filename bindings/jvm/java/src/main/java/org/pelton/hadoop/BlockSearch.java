package org.pelton.hadoop;

import org.pelton.PeltonOutputStream;

/** Search for the first header of a block in bytes that come in pieces. */
final class BlockSearch {
    private static final int HEADER = PeltonOutputStream.HEADER;

    /** The last bytes so far, at which a header may begin, and the first of the next piece. */
    private final byte[] seam = new byte[2 * HEADER];
    private int kept;
    private long offset;
    private long found = -1;

    /**
     * A search.
     *
     * @param offset that of the first byte
     */
    BlockSearch(long offset) {
        this.offset = offset;
    }

    /** Returns the offset of the header; -1 while none has been found. */
    long found() {
        return found;
    }

    /** Searches the next piece. */
    void add(byte[] piece, int at, int length) {
        if (found >= 0) {
            return;
        }
        int begun = Math.min(length, HEADER - 1);
        System.arraycopy(piece, at, seam, kept, begun);
        search(seam, 0, kept, kept + begun, offset - kept);
        if (found >= 0) {
            return;
        }
        search(piece, at, length, length, offset);
        offset += length;
        if (length >= HEADER - 1) {
            kept = HEADER - 1;
            System.arraycopy(piece, at + length - kept, seam, 0, kept);
        } else {
            int more = Math.min(kept + length, HEADER - 1);
            System.arraycopy(seam, kept + length - more, seam, 0, more);
            kept = more;
        }
    }

    /** Searches for a header that begins in the first {@code starts} of {@code length} bytes. */
    private void search(byte[] bytes, int at, int starts, int length, long first) {
        int last = Math.min(starts, length - HEADER + 1);
        for (int i = 0; i < last; i++) {
            if (bytes[at + i] == 31 && PeltonOutputStream.isBlock(bytes, at + i)) {
                found = first + i;
                return;
            }
        }
    }
}
