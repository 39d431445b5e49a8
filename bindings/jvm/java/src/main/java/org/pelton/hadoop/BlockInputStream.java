package org.pelton.hadoop;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.io.compress.SplitCompressionInputStream;
import org.pelton.PeltonInputStream;

/**
 * Input of a gzip file or of a part of it.
 *
 * <p>A part has the blocks that begin in it. The part behind it searches for its first block on its
 * own. So the stream checks at its end that the search finds the block at which it stopped: bytes
 * within a block may look like a header.
 */
final class BlockInputStream extends SplitCompressionInputStream {
    private final Source source;
    private final long start;
    private final long end;
    private final boolean isPart;
    private final boolean isEmpty;
    private boolean isChecked;
    private PeltonInputStream blocks;

    private BlockInputStream(InputStream in, long start, long end, boolean isPart, boolean isEmpty) throws IOException {
        super(in, start, end);
        this.source = new Source(in, start, isPart ? end : Long.MAX_VALUE);
        this.start = start;
        this.end = end;
        this.isPart = isPart;
        this.isEmpty = isEmpty;
        resetState();
    }

    /** Returns a stream for all of a file, whatever its members are. */
    static BlockInputStream whole(InputStream in) throws IOException {
        return new BlockInputStream(in, 0, Long.MAX_VALUE, false, false);
    }

    /** Returns a stream for a part that has nothing. */
    static BlockInputStream empty(InputStream in, long end) throws IOException {
        // A position behind the end keeps Hadoop's reader from asking for a record.
        return new BlockInputStream(in, end + 1, end, false, true);
    }

    /**
     * Returns a stream for the blocks from {@code start}, where {@code in} is, to the first one not
     * before {@code end}.
     */
    static BlockInputStream part(InputStream in, long start, long end) throws IOException {
        return new BlockInputStream(in, start, end, true, false);
    }

    @Override
    public int read() throws IOException {
        int b = isEmpty ? -1 : blocks.read();
        check(b < 0);
        return b;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
        int n = isEmpty ? -1 : blocks.read(target, offset, length);
        check(n < 0);
        return n;
    }

    private void check(boolean hasEnded) throws IOException {
        if (!isPart || isChecked) {
            return;
        }
        long stop = start + blocks.blockOffset();
        if (stop >= end || hasEnded) {
            long found = source.search.found();
            long first = blocks.watchedBlock();
            if (found != (first < 0 ? -1 : start + first)) {
                throw new IOException("byte " + found
                        + " of this gzip file looks like the header of a block, and is none; "
                        + "read it in one piece, by " + GzipCodec.SPLIT + "=false");
            }
            isChecked = true;
        }
    }

    @Override
    public int available() throws IOException {
        return isEmpty ? 0 : blocks.available();
    }

    /**
     * Returns the position behind the start of the block that is being read, which is in the part
     * or not.
     */
    @Override
    public long getPos() {
        return isPart ? start + blocks.blockOffset() + 1 : start;
    }

    @Override
    public void resetState() {
        blocks = new PeltonInputStream(source);
        if (isPart) {
            blocks.watchBlocks(end - start);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            blocks.close();
        } finally {
            super.close();
        }
    }

    /** Compressed bytes, which are searched for a block from an offset on. */
    private static final class Source extends FilterInputStream {
        private final long from;
        private final BlockSearch search;
        private long position;

        Source(InputStream in, long position, long from) {
            super(in);
            this.position = position;
            this.from = from;
            search = new BlockSearch(from);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            int b = in.read();
            if (b >= 0) {
                one[0] = (byte) b;
                count(one, 0, 1);
            }
            return b;
        }

        @Override
        public int read(byte[] target, int offset, int length) throws IOException {
            int n = in.read(target, offset, length);
            if (n > 0) {
                count(target, offset, n);
            }
            return n;
        }

        private void count(byte[] bytes, int offset, int length) {
            int before = (int) Math.max(0, Math.min(length, from - position));
            search.add(bytes, offset + before, length - before);
            position += length;
        }
    }
}
