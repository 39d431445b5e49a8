/* Copies a file through a stream with buffers of 16 KB: stream LEVEL INPUT OUTPUT, stream -d INPUT OUTPUT. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static unsigned char input[16384], output[16384];

static void fail(const char *what) {
	fprintf(stderr, "stream: %s failed\n", what);
	exit(1);
}

int main(int count, char **arguments) {
	if (count != 4) fail("usage: stream -d|LEVEL INPUT OUTPUT; that");
	int decompress = strcmp(arguments[1], "-d") == 0, code = Z_OK;
	FILE *from = fopen(arguments[2], "rb"), *to = fopen(arguments[3], "wb");
	if (!from || !to) fail("opening a file");
	z_stream stream;
	memset(&stream, 0, sizeof stream);
	code = decompress ? inflateInit2(&stream, 15 + 16)
	                  : deflateInit2(&stream, atoi(arguments[1]), Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	if (code != Z_OK) fail("beginning a stream");
	while (code != Z_STREAM_END) {
		if (stream.avail_in == 0) {
			stream.next_in = input;
			stream.avail_in = fread(input, 1, sizeof input, from);
			if (decompress && stream.avail_in == 0) fail("finding the end of the stream");
		}
		int flush = feof(from) ? Z_FINISH : Z_NO_FLUSH;
		do {
			stream.next_out = output;
			stream.avail_out = sizeof output;
			code = decompress ? inflate(&stream, Z_NO_FLUSH) : deflate(&stream, flush);
			if (code < 0 && code != Z_BUF_ERROR) fail(decompress ? "inflate" : "deflate");
			size_t len = sizeof output - stream.avail_out;
			if (fwrite(output, 1, len, to) != len) fail("writing");
		} while (stream.avail_out == 0);
	}
	if ((decompress ? inflateEnd(&stream) : deflateEnd(&stream)) != Z_OK) fail("ending the stream");
	if (fclose(to) != 0) fail("fclose");
	return 0;
}
