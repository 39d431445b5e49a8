package org.pelton.bench;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import io.airlift.compress.lz4.Lz4Compressor;
import io.airlift.compress.lz4.Lz4Decompressor;
import io.airlift.compress.zstd.ZstdCompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.util.zip.Deflater;
import java.util.zip.Inflater;
import net.jpountz.lz4.LZ4Compressor;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4FastDecompressor;
import org.pelton.Deflate;
import org.pelton.Format;
import org.pelton.Inflate;
import org.xerial.snappy.Snappy;

/** Libraries that compress blocks between arrays. */
interface Codec {
    /** Compresses a block. Returns the size; the target suffices. */
    int compress(byte[] source, byte[] target) throws Exception;

    /** Decompresses a block of {@code length} bytes, whose uncompressed size is that of the target. */
    void decompress(byte[] source, int length, byte[] target) throws Exception;

    /** Returns the library of this name. */
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
                return new AirLz4();
            case "air-zstd":
                return new AirZstd();
            default:
                throw new IllegalArgumentException("no library is called " + name);
        }
    }

    /** Pelton, zlib's format. */
    final class Pelton implements Codec {
        private final Deflate deflate;
        private final Inflate inflate = new Inflate(Format.ZLIB);

        Pelton(int level) {
            deflate = new Deflate(Format.ZLIB, level);
        }

        @Override
        public int compress(byte[] source, byte[] target) {
            return deflate.compress(source, 0, source.length, target, 0, target.length);
        }

        @Override
        public void decompress(byte[] source, int length, byte[] target) throws Exception {
            inflate.decompress(source, 0, length, target, 0, target.length);
        }
    }

    /** The JDK's Deflater at level 6 and Inflater, reset for each block. */
    final class Jdk implements Codec {
        private final Deflater deflater = new Deflater(6);
        private final Inflater inflater = new Inflater();

        @Override
        public int compress(byte[] source, byte[] target) {
            deflater.reset();
            deflater.setInput(source);
            deflater.finish();
            return deflater.deflate(target);
        }

        @Override
        public void decompress(byte[] source, int length, byte[] target) throws Exception {
            inflater.reset();
            inflater.setInput(source, 0, length);
            if (inflater.inflate(target) != target.length) {
                throw new IllegalStateException("the block is shorter");
            }
        }
    }

    /** zstd-jni at level 1. */
    final class ZstdJni implements Codec {
        private final ZstdCompressCtx compressor = new ZstdCompressCtx().setLevel(1);
        private final ZstdDecompressCtx decompressor = new ZstdDecompressCtx();

        @Override
        public int compress(byte[] source, byte[] target) {
            return compressor.compressByteArray(target, 0, target.length, source, 0, source.length);
        }

        @Override
        public void decompress(byte[] source, int length, byte[] target) {
            long n = decompressor.decompressByteArray(target, 0, target.length, source, 0, length);
            if (Zstd.isError(n) || n != target.length) {
                throw new IllegalStateException("zstd: " + n);
            }
        }
    }

    /** lz4-java, the fastest instance: native code here. */
    final class Lz4Java implements Codec {
        private final LZ4Compressor compressor = LZ4Factory.fastestInstance().fastCompressor();
        private final LZ4FastDecompressor decompressor = LZ4Factory.fastestInstance().fastDecompressor();

        @Override
        public int compress(byte[] source, byte[] target) {
            return compressor.compress(source, 0, source.length, target, 0, target.length);
        }

        @Override
        public void decompress(byte[] source, int length, byte[] target) {
            decompressor.decompress(source, 0, target, 0, target.length);
        }
    }

    /** snappy-java. */
    final class SnappyJava implements Codec {
        @Override
        public int compress(byte[] source, byte[] target) throws Exception {
            return Snappy.compress(source, 0, source.length, target, 0);
        }

        @Override
        public void decompress(byte[] source, int length, byte[] target) throws Exception {
            Snappy.uncompress(source, 0, length, target, 0);
        }
    }

    /** aircompressor's LZ4, in Java. */
    final class AirLz4 implements Codec {
        private final Lz4Compressor compressor = new Lz4Compressor();
        private final Lz4Decompressor decompressor = new Lz4Decompressor();

        @Override
        public int compress(byte[] source, byte[] target) {
            return compressor.compress(source, 0, source.length, target, 0, target.length);
        }

        @Override
        public void decompress(byte[] source, int length, byte[] target) {
            decompressor.decompress(source, 0, length, target, 0, target.length);
        }
    }

    /** aircompressor's Zstandard, in Java. */
    final class AirZstd implements Codec {
        private final ZstdCompressor compressor = new ZstdCompressor();
        private final ZstdDecompressor decompressor = new ZstdDecompressor();

        @Override
        public int compress(byte[] source, byte[] target) {
            return compressor.compress(source, 0, source.length, target, 0, target.length);
        }

        @Override
        public void decompress(byte[] source, int length, byte[] target) {
            decompressor.decompress(source, 0, length, target, 0, target.length);
        }
    }
}
