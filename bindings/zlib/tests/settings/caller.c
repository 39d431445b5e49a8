/* Makes the calls of zlib that its arguments name, in their order, and fails if one has a wrong
 * result:
 * `whole`: compress and uncompress a buffer; `level N`: the same by deflate and inflate in one call;
 * `pieces`: inflate in pieces; `sync`: the same with damaged data, then inflateSync;
 * `stream`: deflate in pieces; `copy`: a stream that is copied midway;
 * `tune`, `prime`, `dictionary`, `strategy`, `memory`, `window`: a stream that zlib-rs compresses;
 * `fork`: a child makes the remaining calls, and the parent waits for it;
 * `secure`: no call, but the program fails unless it runs with another user's rights;
 * `threads`: `whole` in four threads at once;
 * `unload`: dlopen of LIBZ, one call, and dlclose. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#define SIZE 100000
#define PIECE 10000

#define CHECK(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "caller.c:%d: %s\n", __LINE__, #what); \
			exit(1); \
		} \
	} while (0)

static unsigned char plain[SIZE];

static void whole(void) {
	static __thread unsigned char packed[2 * SIZE], back[SIZE];
	uLongf packed_size = sizeof packed, back_size = sizeof back;
	CHECK(compress(packed, &packed_size, plain, SIZE) == Z_OK);
	CHECK(uncompress(back, &back_size, packed, packed_size) == Z_OK);
	CHECK(back_size == SIZE && memcmp(back, plain, SIZE) == 0);
}

static void *whole_in_thread(void *nothing) {
	whole();
	return nothing;
}

/* Compresses on a new stream, in pieces of one size, and decompresses the result in one call. */
static void run(z_stream *z, size_t piece, int window_bits, const char *dictionary) {
	static unsigned char packed[2 * SIZE], back[SIZE];
	z->next_in = plain;
	z->next_out = packed;
	z->avail_out = sizeof packed;
	int code = Z_OK;
	for (size_t at = 0; at < SIZE; at += piece) {
		z->avail_in = piece;
		code = deflate(z, at + piece < SIZE ? Z_NO_FLUSH : Z_FINISH);
	}
	CHECK(code == Z_STREAM_END);
	if (window_bits != 0) {
		z_stream from = {.next_in = packed, .avail_in = z->total_out, .next_out = back, .avail_out = SIZE};
		CHECK(inflateInit2(&from, window_bits) == Z_OK);
		if (dictionary)
			CHECK(inflateSetDictionary(&from, (const Bytef *)dictionary, strlen(dictionary)) == Z_OK);
		CHECK(inflate(&from, Z_FINISH) == Z_STREAM_END);
		CHECK(from.total_out == SIZE && memcmp(back, plain, SIZE) == 0);
		CHECK(inflateEnd(&from) == Z_OK);
	}
	CHECK(deflateEnd(z) == Z_OK);
}

/* Decompresses the output of compress: the header byte by byte, the rest in pieces, one of them
 * damaged on request. */
static void pieces(int damaged) {
	static unsigned char packed[2 * SIZE], back[2 * SIZE];
	uLongf packed_size = sizeof packed;
	CHECK(compress(packed, &packed_size, plain, SIZE) == Z_OK);
	z_stream from = {.next_in = packed, .next_out = back, .avail_out = sizeof back};
	CHECK(inflateInit(&from) == Z_OK);
	int code = Z_OK;
	for (uLongf at = 0; at < packed_size && code == Z_OK; at += from.avail_in) {
		from.next_in = packed + at;
		from.avail_in = at < 2 ? 1 : packed_size - at < 1000 ? packed_size - at : 1000;
		uInt given = from.avail_in;
		if (damaged && at > 1)
			memset(packed + at, 0xff, given);
		code = inflate(&from, Z_NO_FLUSH);
		from.avail_in = given;
	}
	CHECK(code == (damaged ? Z_DATA_ERROR : Z_STREAM_END));
	if (damaged)
		CHECK(inflateSync(&from) == Z_DATA_ERROR);
	else
		CHECK(from.total_out == SIZE && memcmp(back, plain, SIZE) == 0);
	CHECK(inflateEnd(&from) == Z_OK);
}

/* Calls before main and after exit, if EARLY_AND_LATE is set. */
__attribute__((constructor)) static void early(void) {
	if (getenv("EARLY_AND_LATE"))
		whole();
}

__attribute__((destructor)) static void late(void) {
	if (getenv("EARLY_AND_LATE"))
		whole();
}

int main(int count, char **arguments) {
	for (int i = 0; i < SIZE; i++)
		plain[i] = "the same words again and again, "[i % 32] ^ (i % 1001 == 0);
	for (int i = 1; i < count; i++) {
		const char *what = arguments[i];
		z_stream z = {0};
		if (!strcmp(what, "whole")) {
			errno = 77;
			whole();
			CHECK(errno == 77);
		} else if (!strcmp(what, "level")) {
			CHECK(deflateInit(&z, atoi(arguments[++i])) == Z_OK);
			run(&z, SIZE, 15, NULL);
		} else if (!strcmp(what, "stream")) {
			CHECK(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
			run(&z, PIECE, 31, NULL);
		} else if (!strcmp(what, "pieces")) {
			pieces(0);
		} else if (!strcmp(what, "sync")) {
			pieces(1);
		} else if (!strcmp(what, "copy")) {
			z_stream copy = {0};
			CHECK(deflateInit(&z, 6) == Z_OK);
			unsigned char out[1000];
			z.next_in = plain;
			z.avail_in = 100;
			z.next_out = out;
			z.avail_out = sizeof out;
			CHECK(deflate(&z, Z_SYNC_FLUSH) == Z_OK);
			CHECK(deflateCopy(&copy, &z) == Z_OK);
			deflateEnd(&copy);
			deflateEnd(&z);
		} else if (!strcmp(what, "tune")) {
			CHECK(deflateInit(&z, 6) == Z_OK && deflateTune(&z, 8, 16, 32, 64) == Z_OK);
			run(&z, SIZE, 15, NULL);
		} else if (!strcmp(what, "prime")) {
			CHECK(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, 0) == Z_OK && deflatePrime(&z, 3, 5) == Z_OK);
			run(&z, SIZE, 0, NULL);
		} else if (!strcmp(what, "dictionary")) {
			const char *dictionary = "the same words";
			CHECK(deflateInit2(&z, 6, Z_DEFLATED, -15, 8, 0) == Z_OK);
			CHECK(deflateSetDictionary(&z, (const Bytef *)dictionary, strlen(dictionary)) == Z_OK);
			run(&z, SIZE, -15, dictionary);
		} else if (!strcmp(what, "strategy")) {
			CHECK(deflateInit2(&z, 6, Z_DEFLATED, 15, 8, Z_RLE) == Z_OK);
			run(&z, SIZE, 15, NULL);
		} else if (!strcmp(what, "memory")) {
			CHECK(deflateInit2(&z, 6, Z_DEFLATED, 15, 3, 0) == Z_OK);
			run(&z, SIZE, 15, NULL);
		} else if (!strcmp(what, "window")) {
			CHECK(deflateInit2(&z, 6, Z_DEFLATED, 10, 8, 0) == Z_OK);
			run(&z, SIZE, 15, NULL);
		} else if (!strcmp(what, "fork")) {
			pid_t child = fork();
			if (child > 0) {
				int status;
				CHECK(waitpid(child, &status, 0) == child && status == 0);
				return 0;
			}
		} else if (!strcmp(what, "secure")) {
			if (!getauxval(AT_SECURE))
				return 1;
		} else if (!strcmp(what, "threads")) {
			pthread_t threads[4];
			for (int t = 0; t < 4; t++)
				CHECK(pthread_create(&threads[t], NULL, whole_in_thread, NULL) == 0);
			for (int t = 0; t < 4; t++)
				CHECK(pthread_join(threads[t], NULL) == 0);
		} else if (!strcmp(what, "unload")) {
			void *library = dlopen(getenv("LIBZ"), RTLD_NOW | RTLD_LOCAL);
			CHECK(library);
			int (*pack)(Bytef *, uLongf *, const Bytef *, uLong) = dlsym(library, "compress");
			uLongf size = 100;
			unsigned char out[100];
			CHECK(pack && pack(out, &size, plain, 10) == Z_OK);
			CHECK(dlclose(library) == 0 && write(2, "unloaded\n", 9) == 9);
		} else {
			CHECK(!"no such call");
		}
	}
	return 0;
}
