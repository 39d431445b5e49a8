package org.pelton;

import java.util.zip.CRC32;
import java.util.zip.DataFormatException;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

/**
 * Streams of {@code java.util.zip}, with gzip's header and trailer, for machines without the
 * library.
 */
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

    /** Header of gzip (RFC 1952, section 2.3) that comes byte by byte. */
    private static final class Header {
        private static final int FIXED = 0;
        private static final int EXTRA_LENGTH = 1;
        private static final int EXTRA = 2;
        private static final int NAME = 3;
        private static final int COMMENT = 4;
        private static final int CHECKSUM = 5;
        private static final int END = 6;

        private final CRC32 crc = new CRC32();
        private int part;
        /** Bytes of the part so far, and those that it has, unless it is a text. */
        private int done;
        private int length;
        private int flags;
        private int number;

        void begin() {
            crc.reset();
            enter(FIXED);
        }

        private void enter(int next) {
            part = next;
            done = 0;
            number = 0;
            length = next == FIXED ? Gzip.HEADER : 2;
        }

        /** Takes a byte. Returns whether it was the last. */
        boolean add(byte b) throws DataFormatException {
            int value = b & 255;
            if (part == FIXED) {
                boolean wrong = done == 0 && value != 31 || done == 1 && value != 139 || done == 2 && value != 8;
                flags = done == 3 ? value : flags;
                if (wrong || done == 3 && value > 31) {
                    throw new DataFormatException("it is not a gzip stream");
                }
            } else if (part == EXTRA_LENGTH || part == CHECKSUM) {
                number |= value << 8 * done;
            }
            done++;
            boolean hasEnded = part == NAME || part == COMMENT ? b == 0 : done == length;
            if (part == CHECKSUM && hasEnded && ((int) crc.getValue() & 0xffff) != number) {
                throw new DataFormatException("the checksum of the gzip header does not match");
            }
            crc.update(value);
            if (hasEnded) {
                int extra = number;
                int next = part == EXTRA_LENGTH && extra == 0 ? EXTRA + 1 : part + 1;
                while (next < END && !has(next)) {
                    next++;
                }
                enter(next);
                length = next == EXTRA ? extra : length;
            }
            return part == END;
        }

        private boolean has(int next) {
            int flag = next == NAME ? Gzip.FNAME : next == COMMENT ? Gzip.FCOMMENT : next == CHECKSUM ? Gzip.FHCRC : Gzip.FEXTRA;
            return (flags & flag) != 0;
        }
    }

    /** Decompressing stream. */
    static final class Decompressor extends CodecStream {
        private final boolean isGzip;
        private final Inflater inflater;
        private final CRC32 crc = new CRC32();
        private final Header header = new Header();
        private final byte[] trailer = new byte[Gzip.TRAILER];
        private int trailerLength;
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
            header.begin();
            trailerLength = 0;
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
                isBody = header.add(source[at + used++]);
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
                    ended = !isGzip;
                }
            }
            while (isGzip && !ended && inflater.finished() && used < length) {
                trailer[trailerLength++] = source[at + used++];
                if (trailerLength == Gzip.TRAILER) {
                    Gzip.checkTrailer(trailer, 0, (int) crc.getValue(), (int) inflater.getBytesWritten());
                    ended = true;
                }
            }
            return progress(used, written, ended);
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
