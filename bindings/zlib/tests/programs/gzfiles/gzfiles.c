/* Writes gzip files into the current folder by every gz function, or reads them: gzfiles write|read */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define LINES 4000
#define LINE 64

#define CHECK(what) \
	do { \
		if (!(what)) { \
			fprintf(stderr, "line %d, %s: %s\n", __LINE__, current, #what); \
			exit(1); \
		} \
	} while (0)

/* Modes for writing a file. */
static const char *const modes[] = { "wb", "wb0", "wb1", "wb9", "wb6h", "wb6f", "wb6R", "wb6F", "wT", "wb3" };
static char current[40];

/* Makes a line of the text, which is the same in every run. Returns its length. */
static int line(int number, char *text)
{
	return sprintf(text, "%d: %08x and %.*s\n", number, number * 2654435761u, number % 20, "carefully final deposits");
}

/* Writes each line by another function, in four parts: between them parameters change, the file is
 * flushed, and a gap is left. */
static void write_file(const char *mode)
{
	char text[LINE];
	gzFile file = gzopen(current, mode);
	CHECK(file && gzbuffer(file, 9000) == 0);
	CHECK(gzdirect(file) == (strchr(mode, 'T') != NULL));
	for (int number = 0; number < LINES; number++) {
		int length = line(number, text);
		switch (number % 5) {
		case 0: CHECK(gzwrite(file, text, length) == length); break;
		case 1: CHECK(gzputs(file, text) == length); break;
		case 2: CHECK(gzprintf(file, "%d:%c%s", number, ' ', strchr(text, ' ') + 1) == length); break;
		case 3: for (int i = 0; i < length; i++) CHECK(gzputc(file, text[i]) == text[i]); break;
		case 4: CHECK(gzfwrite(text, 1, length, file) == (z_size_t)length); break;
		}
		if (number == LINES / 4) CHECK(gzflush(file, Z_SYNC_FLUSH) == Z_OK);
		if (number == LINES / 2 && gzdirect(file) == 0) CHECK(gzsetparams(file, 8, Z_FILTERED) == Z_OK);
		if (number == 3 * (LINES / 4)) CHECK(gzflush(file, Z_FULL_FLUSH) == Z_OK);
	}
	z_off_t end = gztell(file);
	CHECK(gzseek(file, 1000, SEEK_CUR) == end + 1000);
	CHECK(gzputs(file, "the end") == 7);
	CHECK(gzclose(file) == Z_OK);
	/* Another member. */
	file = gzopen(current, strchr(mode, 'T') ? "aT" : "ab2");
	CHECK(file && gzputs(file, ", and more") == 10 && gzclose_w(file) == Z_OK);
}

static void read_end(gzFile file)
{
	char rest[1100] = "x";
	static const char zeros[1000];
	CHECK(gzread(file, rest, sizeof rest) == 1000 + 17);
	CHECK(memcmp(rest, zeros, 1000) == 0 && memcmp(rest + 1000, "the end, and more", 17) == 0);
	CHECK(gzeof(file) && gzgetc(file) == -1);
	int code;
	CHECK(strcmp(gzerror(file, &code), "") == 0 && code == Z_OK);
}

/* Reads each line by another function, then again from the end to the beginning. */
static void read_file(const char *mode, int buffer)
{
	static long start[LINES];
	char text[LINE], got[LINE];
	gzFile file = gzopen(current, "rb");
	CHECK(file && gzbuffer(file, buffer) == 0);
	for (int number = 0; number < LINES; number++) {
		int length = line(number, text);
		start[number] = gztell(file);
		memset(got, 0, sizeof got);
		switch (number % 4) {
		case 0: CHECK(gzread(file, got, length) == length); break;
		case 1: CHECK(gzgets(file, got, LINE) == got); break;
		case 2: for (int i = 0; i < length; i++) got[i] = (char)gzgetc(file); break;
		case 3:
			CHECK(gzungetc(text[0], file) == text[0] && gzgetc(file) == text[0]);
			CHECK(gzfread(got, length, 1, file) == 1);
			break;
		}
		CHECK(memcmp(got, text, length) == 0);
	}
	read_end(file);
	CHECK(gzdirect(file) == (strchr(mode, 'T') != NULL));
	CHECK(gzrewind(file) == 0 && gztell(file) == 0);
	for (int number = LINES - 1; number > 0; number -= 799) {
		int length = line(number, text);
		CHECK(gzseek(file, start[number], SEEK_SET) == start[number]);
		CHECK(gzgets(file, got, LINE) == got && strcmp(got, text) == 0 && gztell(file) == start[number] + length);
	}
	CHECK(gzoffset(file) > 0 && gzclose(file) == Z_OK);
}

int main(int count, char **arguments)
{
	int write = count == 2 && strcmp(arguments[1], "write") == 0, files = 0;
	for (size_t number = 0; number < 3 * sizeof modes / sizeof *modes; number++, files++) {
		const char *mode = modes[number % (sizeof modes / sizeof *modes)];
		sprintf(current, "%zu-%s.gz", number, mode);
		if (write) write_file(mode);
		else read_file(mode, 256 << number % 9);
	}
	printf("checked %d files\n", files);
	return 0;
}
