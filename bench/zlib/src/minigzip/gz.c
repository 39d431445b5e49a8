/* Copies a file through gz*: gz LEVEL INPUT OUTPUT compresses, gz -d INPUT OUTPUT decompresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static char buffer[16384];

static void fail(const char *what) {
	fprintf(stderr, "gz: %s failed\n", what);
	exit(1);
}

int main(int count, char **arguments) {
	if (count != 4) fail("usage: gz -d|LEVEL INPUT OUTPUT; that");
	int decompress = strcmp(arguments[1], "-d") == 0;
	char mode[4] = {'w', 'b', arguments[1][0], 0};
	gzFile packed = decompress ? gzopen(arguments[2], "rb") : gzopen(arguments[3], mode);
	FILE *plain = decompress ? fopen(arguments[3], "wb") : fopen(arguments[2], "rb");
	if (!packed || !plain) fail("opening a file");
	if (decompress) {
		int len;
		while ((len = gzread(packed, buffer, sizeof buffer)) > 0)
			if (fwrite(buffer, 1, len, plain) != (size_t)len) fail("writing");
		if (len < 0) fail("gzread");
	} else {
		size_t len;
		while ((len = fread(buffer, 1, sizeof buffer, plain)) > 0)
			if (gzwrite(packed, buffer, len) != (int)len) fail("gzwrite");
	}
	if (gzclose(packed) != Z_OK) fail("gzclose");
	if (fclose(plain) != 0) fail("fclose");
	return 0;
}
