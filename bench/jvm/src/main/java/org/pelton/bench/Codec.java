package org.pelton.bench;

import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import io.airlift.compress.Compressor;
import io.airlift.compress.Decompressor;
import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.airlift.compress.snappy.SnappyCompressor;
import io.airlift.compress.snappy.SnappyDecompressor;
import io.airlift.compress.zstd.ZstdCompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.nio.ByteBuffer;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4SafeDecompressor;
import org.pelton.Deflate;
import org.pelton.Format;
import org.pelton.Inflate;
import org.xerial.snappy.Snappy;

/**
 * Library that compresses blocks between buffers, which are both on the heap or both outside it.
 *
 * <p>A block lies from index 0 to its buffer's limit. Each library keeps its state from block to
 * block, where it has any.
 */
interface Codec {
    /** Names of all libraries, and what they are. */
    String[][] LIBRARIES = {
        {"pelton", "Pelton at level 6, zlib's format"},
        {"jdk", "java.util.zip at level 6, a Deflater and an Inflater reset for each block"},
        {"pelton-1", "Pelton at level 1"},
        {"zstd-jni", "zstd-jni 1.5.7-28 at level 1"},
        {"lz4-java", "lz4-java 1.14.0 (at.yawk.lz4), its fastest instance, the decompressor that checks bounds"},
        {"snappy-java", "snappy-java 1.1.10.12"},
        {"air-lz4", "aircompressor 2.0.2, LZ4 in Java"},
        {"air-snappy", "aircompressor 2.0.2, Snappy in Java"},
        {"air-zstd", "aircompressor 2.0.2, Zstandard in Java"},
    };

    /**
     * Compresses a block to a buffer that suffices, from its index 0 on. Returns the compressed
     * size.
     */
    int compress(ByteBuffer source, ByteBuffer target) throws Exception;

    /**
     * Decompresses a block to a buffer that is as long as the uncompressed block. Returns the
     * uncompressed size.
     */
    int decompress(ByteBuffer source, ByteBuffer target) throws Exception;

    /** Opens a library. */
    static Codec of(String name) {
        switch (name) {
            case "pelton":
                return new Pelton(6);
            case "pelton-1":
                return new Pelton(1);
            case "jdk":
                return new Jdk();
            case "zstd-jni":
                return new ZstdJni();
            case "lz4-java":
                return new Lz4Java();
            case "snappy-java":
                return new SnappyJava();
            case "air-lz4":
                return new Air(new Lz4Compressor(), new Lz4Decompressor());
            case "air-snappy":
                return new Air(new SnappyCompressor(), new SnappyDecompressor());
            case "air-zstd":
                return new Air(new ZstdCompressor(), new ZstdDecompressor());
            default:
                throw new IllegalArgumentException("no library is called " + name);
        }
    }

    /** Pelton. */
    final class Pelton implements Codec {
        final Deflate deflate;
        final Inflate inflate = new Inflate(Format.ZLIB);

        Pelton(int level) {
            deflate = new Deflate(Format.ZLIB, level);
        }

        @Override
        public int compress(ByteBuffer source, ByteBuffer target) {
            return deflate.compress(source.rewind(), target.clear());
        }

        @Override
        public int decompress(ByteBuffer source, ByteBuffer target) throws Exception {
            return inflate.decompress(source.rewind(), target.clear());
        }
    }

    /** The JDK's own. */
    final class Jdk implements Codec {
        private final Deflater deflater = new Deflater(6);
        private final Inflater inflater = new Inflater();

        @Override
        public int compress(ByteBuffer source, ByteBuffer target) {
            deflater.reset();
            deflater.setInput(source.rewind());
            deflater.finish();
            return deflater.deflate(target.clear());
        }

        @Override
        public int decompress(ByteBuffer source, ByteBuffer target) throws Exception {
            inflater.reset();
            inflater.setInput(source.rewind());
            return inflater.inflate(target.clear());
        }
    }

    /** zstd-jni. */
    final class ZstdJni implements Codec {
        private final ZstdCompressCtx compressor = new ZstdCompressCtx().setLevel(1);
        private final ZstdDecompressCtx decompressor = new ZstdDecompressCtx();

        @Override
        public int compress(ByteBuffer source, ByteBuffer target) {
            if (source.isDirect()) {
                return compressor.compressDirectByteBuffer(target, 0, target.capacity(), source, 0, source.limit());
            }
            return compressor.compressByteArray(target.array(), 0, target.capacity(), source.array(), 0,
                    source.limit());
        }

        @Override
        public int decompress(ByteBuffer source, ByteBuffer target) {
            if (source.isDirect()) {
                return decompressor.decompressDirectByteBuffer(target, 0, target.capacity(), source, 0, source.limit());
            }
            return decompressor.decompressByteArray(target.array(), 0, target.capacity(), source.array(), 0,
                    source.limit());
        }
    }

    /** lz4-java. */
    final class Lz4Java implements Codec {
        private final LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
        private final LZ4SafeDecompressor decompressor = LZ4Factory.fastestInstance().safeDecompressor();

        @Override
        public int compress(ByteBuffer source, ByteBuffer target) {
            target.clear();
            return compressor.compress(source, 0, source.limit(), target, 0, target.capacity());
        }

        @Override
        public int decompress(ByteBuffer source, ByteBuffer target) {
            target.clear();
            return decompressor.decompress(source, 0, source.limit(), target, 0, target.capacity());
        }
    }

    /** snappy-java. */
    final class SnappyJava implements Codec {
        @Override
        public int compress(ByteBuffer source, ByteBuffer target) throws Exception {
            if (source.isDirect()) {
                return Snappy.compress(source.rewind(), target.clear());
            }
            return Snappy.compress(source.array(), 0, source.limit(), target.array(), 0);
        }

        @Override
        public int decompress(ByteBuffer source, ByteBuffer target) throws Exception {
            if (source.isDirect()) {
                return Snappy.uncompress(source.rewind(), target.clear());
            }
            return Snappy.uncompress(source.array(), 0, source.limit(), target.array(), 0);
        }
    }

    /** A format of aircompressor's. */
    final class Air implements Codec {
        private final Compressor compressor;
        private final Decompressor decompressor;

        Air(Compressor compressor, Decompressor decompressor) {
            this.compressor = compressor;
            this.decompressor = decompressor;
        }

        @Override
        public int compress(ByteBuffer source, ByteBuffer target) {
            compressor.compress(source.rewind(), target.clear());
            return target.position();
        }

        @Override
        public int decompress(ByteBuffer source, ByteBuffer target) {
            decompressor.decompress(source.rewind(), target.clear());
            return target.position();
        }
    }
}
