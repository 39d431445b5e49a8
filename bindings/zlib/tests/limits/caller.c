/* Calls libz where there is little of something: stack, memory, system calls. The first argument is
 * the library, the second what to do; each prints a number for the test to judge, or ends with an
 * error. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
#include <zlib.h>

#define CHECK(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "caller.c:%d: %s\n", __LINE__, #what); \
			_exit(1); \
		} \
	} while (0)

#define SIZE 600000
#define STACK 16384

static struct {
	int (*deflateInit2_)(z_streamp, int, int, int, int, int, const char *, int);
	int (*deflate)(z_streamp, int);
	int (*deflateParams)(z_streamp, int, int);
	int (*deflateReset)(z_streamp);
	int (*deflateCopy)(z_streamp, z_streamp);
	int (*deflateEnd)(z_streamp);
	int (*inflateInit2_)(z_streamp, int, const char *, int);
	int (*inflate)(z_streamp, int);
	int (*inflateReset)(z_streamp);
	int (*inflateCopy)(z_streamp, z_streamp);
	int (*inflateEnd)(z_streamp);
	int (*compress2)(Bytef *, uLongf *, const Bytef *, uLong, int);
	int (*uncompress)(Bytef *, uLongf *, const Bytef *, uLong);
} z;

static void *load(const char *path) {
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	CHECK(library);
#define FIND(name) CHECK((*(void **)&z.name = dlsym(library, #name)))
	FIND(deflateInit2_);
	FIND(deflate);
	FIND(deflateParams);
	FIND(deflateReset);
	FIND(deflateCopy);
	FIND(deflateEnd);
	FIND(inflateInit2_);
	FIND(inflate);
	FIND(inflateReset);
	FIND(inflateCopy);
	FIND(inflateEnd);
	FIND(compress2);
	FIND(uncompress);
	return library;
}

static unsigned char plain[SIZE], packed[2 * SIZE], back[SIZE], spare[SIZE];

/* Rows of text, numbers, and noise, in turn. */
static void fill(void) {
	uint32_t seed = 1;
	size_t at = 0;
	while (at + 100 < SIZE) {
		seed = seed * 1664525 + 1013904223;
		if (at / 50000 % 4 == 3) {
			memcpy(plain + at, &seed, 4);
			at += 3;
		} else if (at / 50000 % 4 == 2) {
			uint64_t number = seed >> 20;
			memcpy(plain + at, &number, 8);
			at += 8;
		} else {
			at += sprintf((char *)plain + at, "%u|row %u of a table|%u\n", seed >> 24, seed >> 28, seed % 1000);
		}
	}
}

/* An allocator of the caller's over a block that it has taken before. */
static struct {
	unsigned char *memory;
	size_t size, used, calls;
} arena;

static void *take(void *opaque, unsigned items, unsigned size) {
	(void)opaque;
	size_t len = ((size_t)items * size + 63) & ~(size_t)63;
	arena.calls++;
	if (arena.used + len > arena.size)
		return NULL;
	arena.used += len;
	return arena.memory + arena.used - len;
}

static void leave(void *opaque, void *address) {
	(void)opaque;
	(void)address;
}

/* How a stream is to be used. */
struct way {
	int level, bits, strategy, has_arena, flush;
	size_t piece, room;
};

static void begin(z_stream *strm, const struct way *way) {
	memset(strm, 0, sizeof *strm);
	if (way->has_arena) {
		strm->zalloc = take;
		strm->zfree = leave;
	}
}

static int begin_deflate(z_stream *strm, const struct way *way) {
	begin(strm, way);
	return z.deflateInit2_(strm, way->level, Z_DEFLATED, way->bits, 8, way->strategy, ZLIB_VERSION, sizeof *strm);
}

/* Compresses the data in pieces, after deflateInit. */
static void deflate_pieces(z_stream *strm, const struct way *way) {
	size_t at = 0, to = 0;
	int code = Z_OK;
	while (code != Z_STREAM_END) {
		size_t len = SIZE - at < way->piece ? SIZE - at : way->piece;
		strm->next_in = plain + at;
		strm->avail_in = len;
		at += len;
		do {
			size_t room = sizeof packed - to < way->room ? sizeof packed - to : way->room;
			strm->next_out = packed + to;
			strm->avail_out = room;
			code = z.deflate(strm, at == SIZE ? Z_FINISH : way->flush);
			CHECK(code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR);
			to += room - strm->avail_out;
		} while (code != Z_STREAM_END && strm->avail_out == 0);
	}
}

static int begin_inflate(z_stream *strm, const struct way *way) {
	begin(strm, way);
	return z.inflateInit2_(strm, way->bits, ZLIB_VERSION, sizeof *strm);
}

static void inflate_pieces(z_stream *strm, const struct way *way, size_t len) {
	size_t at = 0, to = 0;
	int code = Z_OK;
	while (code != Z_STREAM_END) {
		size_t piece = len - at < way->piece ? len - at : way->piece;
		strm->next_in = packed + at;
		strm->avail_in = piece;
		at += piece;
		do {
			size_t room = SIZE - to < way->room ? SIZE - to : way->room;
			strm->next_out = back + to;
			strm->avail_out = room;
			code = z.inflate(strm, at == len ? Z_FINISH : Z_NO_FLUSH);
			CHECK(code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR);
			to += room - strm->avail_out;
		} while (code != Z_STREAM_END && strm->avail_out == 0);
	}
	CHECK(to == SIZE && memcmp(back, plain, SIZE) == 0);
}

/* Every call in turn, with the data there and back. */
static void every_call(const struct way *way) {
	z_stream strm, copy;
	CHECK(begin_deflate(&strm, way) == Z_OK);
	deflate_pieces(&strm, way);
	size_t len = strm.total_out;
	CHECK(z.deflateReset(&strm) == Z_OK);
	strm.next_in = plain;
	strm.avail_in = 30000;
	strm.next_out = spare;
	strm.avail_out = SIZE;
	CHECK(z.deflate(&strm, Z_NO_FLUSH) == Z_OK);
	CHECK(z.deflateParams(&strm, 9 - way->level, Z_DEFAULT_STRATEGY) == Z_OK);
	CHECK(z.deflateCopy(&copy, &strm) == Z_OK);
	CHECK(z.deflate(&copy, Z_FINISH) == Z_STREAM_END);
	CHECK(z.deflateEnd(&copy) == Z_OK);
	z.deflateEnd(&strm);

	CHECK(begin_inflate(&strm, way) == Z_OK);
	inflate_pieces(&strm, way, len);
	CHECK(z.inflateReset(&strm) == Z_OK);
	strm.next_in = packed;
	strm.avail_in = len / 2;
	strm.next_out = back;
	strm.avail_out = SIZE;
	CHECK(z.inflate(&strm, Z_NO_FLUSH) == Z_OK);
	CHECK(z.inflateCopy(&copy, &strm) == Z_OK);
	copy.avail_in = len - len / 2;
	CHECK(z.inflate(&copy, Z_FINISH) == Z_STREAM_END);
	CHECK(z.inflateEnd(&copy) == Z_OK && z.inflateEnd(&strm) == Z_OK);

	for (uLong size = 50; size < SIZE; size *= 7) {
		uLongf there = sizeof packed, again = SIZE;
		CHECK(z.compress2(packed, &there, plain, size, way->level) == Z_OK);
		CHECK(z.uncompress(back, &again, packed, there) == Z_OK);
		CHECK(again == size && memcmp(back, plain, size) == 0);
	}
}

static void *run(void *way) {
	every_call(way);
	return NULL;
}

static const struct way *current;
static ucontext_t here, there;

static void fiber(void) {
	every_call(current);
}

/* Runs every call in a thread and in a fiber, both with STACK bytes. Returns how many of the fiber's
 * were written to. */
static size_t on_a_small_stack(struct way *way) {
	/* Loaded and first called with room, as a program's start does. */
	pthread_attr_t attributes;
	pthread_t thread;
	pthread_attr_init(&attributes);
	CHECK(pthread_attr_setstacksize(&attributes, STACK) == 0);
	CHECK(pthread_create(&thread, &attributes, run, way) == 0);
	pthread_join(thread, NULL);

	/* Below the stack is a page that must not be touched. */
	unsigned char *pages = mmap(NULL, STACK + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED && mprotect(pages, 4096, PROT_NONE) == 0);
	unsigned char *stack = pages + 4096;
	memset(stack, 0xA5, STACK);
	getcontext(&there);
	there.uc_stack.ss_sp = stack;
	there.uc_stack.ss_size = STACK;
	there.uc_link = &here;
	current = way;
	makecontext(&there, fiber, 0);
	swapcontext(&here, &there);
	size_t clean = 0;
	while (clean < STACK && stack[clean] == 0xA5)
		clean++;
	munmap(pages, STACK + 4096);
	return STACK - clean;
}

static void stacks(void) {
	size_t most = 0;
	for (int level = 0; level <= 9; level++) {
		struct way ways[] = {
			{level, 15, Z_DEFAULT_STRATEGY, 0, Z_NO_FLUSH, 50000, 20000},
			{level, 31, Z_DEFAULT_STRATEGY, 1, Z_SYNC_FLUSH, 7000, 3000},
			{level, -15, Z_DEFAULT_STRATEGY, 0, Z_FULL_FLUSH, 40000, 200},
			{level, 15, Z_HUFFMAN_ONLY, 0, Z_NO_FLUSH, 50000, 50000},
			{level, 15, Z_DEFAULT_STRATEGY, 0, Z_NO_FLUSH, SIZE, 2 * SIZE},
		};
		for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
			arena.used = 0;
			size_t used = on_a_small_stack(&ways[i]);
			most = used > most ? used : most;
		}
	}
	printf("%zu\n", most);
}

/* Allocations of compressors after they had begun, of all processes. */
static size_t *later;

/* Runs a stream whose memory was taken before, without any system call but read, write and exit. */
static void in_a_sandbox(int level, int bits, int strategy, int flush, size_t piece) {
	struct way way = {level, bits, strategy, 1, flush, piece, 40000};
	pid_t child = fork();
	if (child == 0) {
		z_stream out, in;
		arena.used = 0;
		CHECK(begin_deflate(&out, &way) == Z_OK && begin_inflate(&in, &way) == Z_OK);
		CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
		size_t calls = arena.calls;
		deflate_pieces(&out, &way);
		*later += arena.calls - calls;
		size_t len = out.total_out;
		inflate_pieces(&in, &way, len);
		CHECK(z.inflateReset(&in) == Z_OK);
		struct way whole = {level, bits, strategy, 1, flush, 2 * SIZE, SIZE};
		inflate_pieces(&in, &whole, len);
		for (int i = 0; i < 100; i++) {
			size_t size = 1 + 97 * (size_t)i * i % 90000;
			CHECK(z.deflateReset(&out) == Z_OK);
			out.next_in = plain + i;
			out.avail_in = size;
			out.next_out = packed;
			out.avail_out = sizeof packed;
			CHECK(z.deflate(&out, Z_FINISH) == Z_STREAM_END);
		}
		syscall(SYS_exit, 0);
	}
	int status;
	CHECK(waitpid(child, &status, 0) == child);
	if (!WIFEXITED(status) || WEXITSTATUS(status)) {
		fprintf(stderr, "level %d, bits %d, strategy %d, flush %d, pieces of %zu: ended by %d, code %d\n", level, bits,
			strategy, flush, piece, WIFSIGNALED(status) ? WTERMSIG(status) : 0, WEXITSTATUS(status));
		_exit(1);
	}
}

static void sandboxes(void) {
	later = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(later != MAP_FAILED);
	for (int level = 0; level <= 9; level += 1 + level % 3) {
		in_a_sandbox(level, 15, Z_DEFAULT_STRATEGY, Z_NO_FLUSH, 30000);
		in_a_sandbox(level, 31, Z_DEFAULT_STRATEGY, Z_SYNC_FLUSH, 500);
		in_a_sandbox(level, -15, Z_DEFAULT_STRATEGY, Z_FULL_FLUSH, 100000);
		in_a_sandbox(level, 15, Z_DEFAULT_STRATEGY, Z_NO_FLUSH, SIZE);
		in_a_sandbox(level, 15, Z_RLE, Z_NO_FLUSH, 30000);
	}
	printf("%zu\n", *later);
}

/* Returns the process's resident kilobytes. */
static long resident(void) {
	char text[100];
	FILE *file = fopen("/proc/self/statm", "r");
	CHECK(file && fgets(text, sizeof text, file));
	fclose(file);
	return strtol(strchr(text, ' '), NULL, 10) * (sysconf(_SC_PAGESIZE) / 1024);
}

static const char *path;

static void *use_once(void *unused) {
	(void)unused;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	CHECK(library);
	int (*compress2)(Bytef *, uLongf *, const Bytef *, uLong, int);
	*(void **)&compress2 = dlsym(library, "compress2");
	uLongf len = 200000;
	unsigned char *to = malloc(len);
	CHECK(compress2 && compress2(to, &len, plain, 150000, 6) == Z_OK);
	free(to);
	dlclose(library);
	return NULL;
}

/* Loads, uses and unloads the library again and again, from so many threads. Prints the growth in
 * kilobytes from the middle on. All threads allocate from one heap, which is trimmed before each
 * measurement: the free memory at the end of each thread's own heap varies by megabytes. */
static void loads(int threads) {
	long before = 0;
	CHECK(mallopt(M_ARENA_MAX, 1));
	for (int turn = 0; turn < 60; turn++) {
		pthread_t all[16];
		for (int i = 0; i < threads; i++)
			CHECK(pthread_create(&all[i], NULL, use_once, NULL) == 0);
		for (int i = 0; i < threads; i++)
			pthread_join(all[i], NULL);
		if (turn == 20) {
			malloc_trim(0);
			before = resident();
		}
	}
	malloc_trim(0);
	printf("%ld\n", resident() - before);
}

/* Prints the kilobytes of each of so many streams after so many bytes. */
static void streams(const char *kind, int count, size_t len) {
	struct way way = {6, 15, Z_DEFAULT_STRATEGY, 0, Z_SYNC_FLUSH, len ? len : 1000, len ? len : 1000};
	z_stream *all = calloc(count, sizeof *all), strm;
	size_t there = 0;
	unsigned char *to = malloc(2 * SIZE);
	if (kind[0] == 'i') {
		CHECK(begin_deflate(&strm, &way) == Z_OK);
		deflate_pieces(&strm, &way);
		there = strm.total_out;
		z.deflateEnd(&strm);
	}
	memset(to, 1, 2 * SIZE);
	memset(back, 1, SIZE);
	long before = resident();
	for (int i = 0; i < count; i++) {
		CHECK((kind[0] == 'i' ? begin_inflate : begin_deflate)(&all[i], &way) == Z_OK);
		all[i].next_in = kind[0] == 'i' ? packed : plain;
		all[i].avail_in = kind[0] == 'i' ? there : len;
		all[i].next_out = to;
		all[i].avail_out = kind[0] == 'i' ? len : 2 * SIZE;
		if (len == 0)
			/* Only the header. */
			all[i].avail_in = 2;
		CHECK((kind[0] == 'i' ? z.inflate(&all[i], Z_NO_FLUSH) : z.deflate(&all[i], Z_SYNC_FLUSH)) != Z_STREAM_ERROR);
	}
	printf("%.1f\n", (double)(resident() - before) / count);
}

/* Prints the most bytes of noise for which a compressor gives no output. */
static void noise(void) {
	struct way way = {6, 15, Z_DEFAULT_STRATEGY, 0, Z_NO_FLUSH, 1000, SIZE};
	z_stream strm;
	size_t most = 0, since = 0;
	uint32_t seed = 1;
	for (size_t at = 0; at < SIZE; at++) {
		seed = seed * 1664525 + 1013904223;
		plain[at] = seed >> 24;
	}
	CHECK(begin_deflate(&strm, &way) == Z_OK);
	strm.next_out = packed;
	strm.avail_out = sizeof packed;
	for (size_t at = 0; at < 300000; at += way.piece) {
		size_t before = strm.total_out;
		strm.next_in = plain + at;
		strm.avail_in = way.piece;
		CHECK(z.deflate(&strm, Z_NO_FLUSH) == Z_OK);
		since = strm.total_out > before ? 0 : since + way.piece;
		most = since > most ? since : most;
	}
	printf("%zu\n", most);
}

int main(int count, char **arguments) {
	CHECK(count >= 3);
	path = arguments[1];
	const char *what = arguments[2];
	arena.size = 64 << 20;
	arena.memory = mmap(NULL, arena.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
	CHECK(arena.memory != MAP_FAILED);
	fill();
	if (!strcmp(what, "loads")) {
		loads(atoi(arguments[3]));
		return 0;
	}
	load(path);
	if (!strcmp(what, "stacks"))
		stacks();
	else if (!strcmp(what, "sandboxes"))
		sandboxes();
	else if (!strcmp(what, "noise"))
		noise();
	else if (!strcmp(what, "streams"))
		streams(arguments[3], atoi(arguments[4]), atol(arguments[5]));
	else
		CHECK(!"a known thing to do");
	return 0;
}
