package org.pelton.bench;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.pelton.Deflate;

/**
 * Blocks of one data set, of one size, in one kind of buffers, with the libraries that compress
 * them.
 */
final class Cell {
    /** Blocks in a batch. */
    static final int BATCH = 32;

    /** Fewest bytes of blocks. A smaller set would stay in the second-level cache. */
    private static final int MIN_BYTES = 4 << 20;
    /** Fewest blocks. */
    private static final int MIN_BLOCKS = 8;

    final String data;
    final int size;
    final boolean isDirect;
    final List<ByteBuffer> blocks = new ArrayList<>();
    private final Map<String, Work> works = new HashMap<>();

    /** Cuts blocks that are spread over the parts in proportion to their lengths. */
    Cell(String data, List<byte[]> parts, int size, boolean isDirect) {
        this.data = data;
        this.size = size;
        this.isDirect = isDirect;
        long total = 0;
        for (byte[] part : parts) {
            total += part.length / size;
        }
        long wanted = Math.min(total, Math.max(MIN_BLOCKS, MIN_BYTES / size));
        if (wanted == 0) {
            throw new IllegalArgumentException("no part of " + data + " has " + size + " bytes: name a larger file");
        }
        long seen = 0;
        for (byte[] part : parts) {
            for (int at = 0; at + size <= part.length; at += size, seen++) {
                if (seen * wanted / total < (seen + 1) * wanted / total) {
                    ByteBuffer block = allocate(size);
                    block.put(part, at, size).rewind();
                    blocks.add(block);
                }
            }
        }
    }

    ByteBuffer allocate(int capacity) {
        return isDirect ? ByteBuffer.allocateDirect(capacity) : ByteBuffer.allocate(capacity);
    }

    /**
     * Returns a library's work, which is checked when it is first asked for: the library returns
     * the blocks as they were.
     */
    Work work(String library) throws Exception {
        Work work = works.get(library);
        if (work == null) {
            work = new Work(this, library);
            works.put(library, work);
        }
        return work;
    }

    /** One library's compressed blocks and buffers. */
    static final class Work {
        private final Cell cell;
        private final Codec codec;
        private final ByteBuffer target;
        private final ByteBuffer back;
        private final List<ByteBuffer> compressed = new ArrayList<>();
        private final ByteBuffer[] sources = new ByteBuffer[BATCH];
        private final ByteBuffer[] targets = new ByteBuffer[BATCH];

        Work(Cell cell, String library) throws Exception {
            this.cell = cell;
            codec = Codec.of(library);
            // The largest is that of the libraries for LZ4 and Snappy.
            target = cell.allocate(2 * cell.size + 1000);
            back = cell.allocate(cell.size);
            for (ByteBuffer block : cell.blocks) {
                int length = codec.compress(block, target);
                ByteBuffer copy = cell.allocate(length);
                copy.put(target.duplicate().position(0).limit(length)).rewind();
                compressed.add(copy);
                if (codec.decompress(copy, back) != cell.size || !back.clear().equals(block.rewind())) {
                    throw new IllegalStateException(library + " returns other data: " + cell.data + ", " + cell.size);
                }
            }
            for (int i = 0; codec instanceof Codec.Pelton && i < BATCH; i++) {
                targets[i] = cell.allocate(Deflate.maxCompressedLength(cell.size));
            }
        }

        /** Compresses each block. Returns the compressed bytes. */
        long compress() throws Exception {
            long produced = 0;
            for (ByteBuffer block : cell.blocks) {
                produced += codec.compress(block, target);
            }
            return produced;
        }

        /** Decompresses each block. Returns the uncompressed bytes. */
        long decompress() throws Exception {
            long produced = 0;
            for (ByteBuffer block : compressed) {
                produced += codec.decompress(block, back);
            }
            return produced;
        }

        /** Compresses the blocks, a batch in one call. Returns the number of calls. */
        int compressBatches() {
            int calls = 0;
            for (int first = 0; first < cell.blocks.size(); first += BATCH, calls++) {
                prepare(cell.blocks, first, targets[0].capacity());
                ((Codec.Pelton) codec).deflate.compressAll(sources, targets);
            }
            return calls;
        }

        /** Decompresses the blocks, a batch in one call. Returns the number of calls. */
        int decompressBatches() throws Exception {
            int calls = 0;
            for (int first = 0; first < compressed.size(); first += BATCH, calls++) {
                prepare(compressed, first, cell.size);
                ((Codec.Pelton) codec).inflate.decompressAll(sources, targets);
            }
            return calls;
        }

        /** Fills a batch. Where blocks are fewer, they come again. */
        private void prepare(List<ByteBuffer> blocks, int first, int capacity) {
            for (int i = 0; i < BATCH; i++) {
                // A batch has each buffer once, so a repeated block is another view of its bytes.
                ByteBuffer block = blocks.get((first + i) % blocks.size());
                sources[i] = (blocks.size() < BATCH ? block.duplicate() : block).rewind();
                targets[i].clear().limit(capacity);
            }
        }
    }
}
