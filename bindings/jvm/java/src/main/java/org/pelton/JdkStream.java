package org.pelton;

import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/** Streams of {@code java.util.zip}, with gzip's header and trailer, for machines without the library. */
final class JdkStream {
    private JdkStream() {}

    /** Bytes of a header or trailer that wait to be written. */
    private static final class Waiting {
        private final byte[] bytes = new byte[Gzip.HEADER];
        private int at;
        private int end;

        void set(int length) {
            at = 0;
            end = length;
        }

        int write(byte[] target, int targetAt, int targetLength) {
            int piece = Math.min(end - at, targetLength);
            System.arraycopy(bytes, at, target, targetAt, piece);
            at += piece;
            return piece;
        }

        boolean isEmpty() {
            return at == end;
        }
    }

    /** Compressing stream. */
    static final class Compressor extends CodecStream {
        private final boolean isGzip;
        private final Deflater deflater;
        private final CRC32 crc = new CRC32();
        private final Waiting waiting = new Waiting();
        private boolean hasTrailer;
        private boolean closed;

        Compressor(Format format, int level) {
            isGzip = format == Format.GZIP;
            deflater = new Deflater(level, format != Format.ZLIB);
            begin();
        }

        private void begin() {
            crc.reset();
            hasTrailer = false;
            if (isGzip) {
                Gzip.writeHeader(waiting.bytes, 0);
                waiting.set(Gzip.HEADER);
            }
        }

        @Override
        synchronized long runPiece(
                byte[] source, int at, int length, byte[] target, int targetAt, int targetLength, int flush) {
            if (closed) {
                throw new IllegalStateException("it is closed");
            }
            int written = waiting.write(target, targetAt, targetLength);
            if (!waiting.isEmpty() || hasTrailer) {
                return progress(0, written, hasTrailer && waiting.isEmpty());
            }
            if (flush == FINISH) {
                deflater.finish();
            }
            long before = deflater.getBytesRead();
            deflater.setInput(source, at, length);
            written += deflater.deflate(
                    target, targetAt + written, targetLength - written,
                    flush == SYNC_FLUSH ? Deflater.SYNC_FLUSH : Deflater.NO_FLUSH);
            int consumed = (int) (deflater.getBytesRead() - before);
            if (isGzip) {
                crc.update(source, at, consumed);
                if (deflater.finished()) {
                    Gzip.writeTrailer(waiting.bytes, 0, (int) crc.getValue(), (int) deflater.getBytesRead());
                    waiting.set(Gzip.TRAILER);
                    hasTrailer = true;
                    written += waiting.write(target, targetAt + written, targetLength - written);
                }
            }
            return progress(consumed, written, deflater.finished() && waiting.isEmpty());
        }

        @Override
        public synchronized void reset() {
            if (closed) {
                throw new IllegalStateException("it is closed");
            }
            deflater.reset();
            begin();
        }

        @Override
        public synchronized void close() {
            closed = true;
            deflater.end();
        }
    }

    /** Decompressing stream. */
    static final class Decompressor extends CodecStream {
        private static final int MAX_HEADER = 128 << 10;

        private final boolean isGzip;
        private final Inflater inflater;
        private final CRC32 crc = new CRC32();
        /** A header or trailer so far; null while the data between them is read. */
        private byte[] outside;
        private int outsideLength;
        private boolean isBody;
        private boolean ended;
        private boolean closed;

        Decompressor(Format format) {
            isGzip = format == Format.GZIP;
            inflater = new Inflater(format != Format.ZLIB);
            begin();
        }

        private void begin() {
            crc.reset();
            outside = new byte[Gzip.HEADER];
            outsideLength = 0;
            isBody = !isGzip;
            ended = false;
        }

        @Override
        synchronized long runPiece(
                byte[] source, int at, int length, byte[] target, int targetAt, int targetLength, int flush)
                throws DataFormatException {
            if (closed) {
                throw new IllegalStateException("it is closed");
            }
            int used = 0;
            while (!isBody && !ended && used < length && !inflater.finished()) {
                add(source[at + used++]);
                isBody = isHeader();
            }
            int written = 0;
            if (isBody) {
                inflater.setInput(source, at + used, length - used);
                written = inflater.inflate(target, targetAt, targetLength);
                used = length - inflater.getRemaining();
                if (inflater.needsDictionary()) {
                    throw new DataFormatException("the block needs a preset dictionary");
                }
                crc.update(target, targetAt, written);
                if (inflater.finished()) {
                    isBody = false;
                    outsideLength = 0;
                    ended = !isGzip;
                }
            }
            while (isGzip && !ended && inflater.finished() && used < length) {
                add(source[at + used++]);
                if (outsideLength == Gzip.TRAILER) {
                    byte[] trailer = java.util.Arrays.copyOf(outside, outsideLength);
                    Gzip.checkTrailer(trailer, 0, (int) crc.getValue(), (int) inflater.getBytesWritten());
                    ended = true;
                }
            }
            return progress(used, written, ended);
        }

        private void add(byte b) throws DataFormatException {
            if (outsideLength == MAX_HEADER) {
                throw new DataFormatException("the gzip header is longer than 128 KB");
            }
            if (outsideLength == outside.length) {
                outside = java.util.Arrays.copyOf(outside, 2 * outsideLength);
            }
            outside[outsideLength++] = b;
        }

        /** Returns whether the bytes so far are a header. */
        private boolean isHeader() throws DataFormatException {
            return outsideLength >= Gzip.HEADER && Gzip.headerLength(outside, 0, outsideLength) == outsideLength;
        }

        @Override
        public synchronized void reset() {
            if (closed) {
                throw new IllegalStateException("it is closed");
            }
            inflater.reset();
            begin();
        }

        @Override
        public synchronized void close() {
            closed = true;
            inflater.end();
        }
    }
}
