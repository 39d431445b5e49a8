/* Compresses with little memory. Its arguments are the kilobytes beyond the program's own memory,
 * and the level. If a call reports a lack of memory, the program gets a little more and repeats it.
 * The output has to decompress to the data. Prints the number of such failures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#define SIZE 1500000
#define PIECE 50000

#define CHECK(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "caller.c:%d: %s\n", __LINE__, #what); \
			exit(1); \
		} \
	} while (0)

static unsigned char plain[SIZE], packed[2 * SIZE], back[SIZE];

/* Limits the address space of the program. */
static void allow(rlim_t bytes) {
	struct rlimit limit = {bytes, RLIM_INFINITY};
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

/* Returns the address space in use. */
static rlim_t has(void) {
	static char text[100];
	FILE *file = fopen("/proc/self/statm", "r");
	CHECK(file && fgets(text, sizeof text, file));
	fclose(file);
	return strtoul(text, NULL, 10) * sysconf(_SC_PAGESIZE);
}

int main(int count, char **arguments) {
	CHECK(count == 3);
	int errors = 0, level = atoi(arguments[2]);
	unsigned state = 1;
	/* Rows, then noise, then runs. */
	for (int i = 0; i < SIZE; i++) {
		state = state * 1664525 + 1013904223;
		plain[i] = i < 900000 ? "0123456789|some words of a row\n"[i % 31 ^ (state >> 24 > 250)] : i < 1200000 ? state >> 24 : 7;
	}
	/* The first call reads the settings. */
	uLongf small = sizeof packed;
	CHECK(compress2(packed, &small, plain, 100, 0) == Z_OK);

	z_stream z = {0};
	CHECK(deflateInit2(&z, level, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	z.next_in = plain;
	z.next_out = packed;
	z.avail_out = sizeof packed;
	rlim_t limit = has() + 1024 * strtoul(arguments[1], NULL, 10);
	allow(limit);
	int code = Z_OK;
	for (int at = 0; at < SIZE; at += PIECE) {
		int flush = at + PIECE == SIZE ? Z_FINISH : at % (10 * PIECE) == 0 ? Z_SYNC_FLUSH : Z_NO_FLUSH;
		z.avail_in += PIECE;
		do {
			code = deflate(&z, flush);
			if (code == Z_MEM_ERROR) {
				CHECK(z.msg && !strcmp(z.msg, "insufficient memory"));
				errors++;
				limit += 128 << 10;
				allow(limit);
			}
		} while (code == Z_MEM_ERROR);
		CHECK(code == (flush == Z_FINISH ? Z_STREAM_END : Z_OK) && z.avail_in == 0);
	}
	allow(RLIM_INFINITY);
	CHECK(z.total_in == SIZE && deflateEnd(&z) == Z_OK);
	z_stream from = {.next_in = packed, .avail_in = z.total_out, .next_out = back, .avail_out = SIZE};
	CHECK(inflateInit2(&from, 31) == Z_OK && inflate(&from, Z_FINISH) == Z_STREAM_END);
	CHECK(from.total_out == SIZE && memcmp(back, plain, SIZE) == 0);
	printf("%d\n", errors);
	return 0;
}
