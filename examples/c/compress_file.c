/* Compresses a file as gzip with zlib's interface, reads it back and prints both sizes.
 *
 *   cc -O2 examples/c/compress_file.c -lz -o compress_file
 *   ./compress_file README.md /tmp/README.gz                  # on the system's zlib
 *   pelton exec -- ./compress_file README.md /tmp/README.gz   # the same program on Pelton's
 *
 * Nothing in it names Pelton: a program that links zlib is not compiled again. zlibVersion() says
 * which library runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

/* Returns a file's bytes, whose number is written to *length; ends the program if it can't be read. */
static unsigned char *read_file(const char *path, size_t *length) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END)) {
    perror(path);
    exit(1);
  }
  long size = ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(size > 0 ? size : 1);
  if (size < 0 || !bytes || fread(bytes, 1, size, file) != (size_t)size) {
    fprintf(stderr, "%s can't be read\n", path);
    exit(1);
  }
  fclose(file);
  *length = size;
  return bytes;
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: %s FILE FILE.gz\n", argv[0]);
    return 2;
  }
  size_t length;
  unsigned char *bytes = read_file(argv[1], &length);

  gzFile packed = gzopen(argv[2], "wb6");
  if (!packed || gzwrite(packed, bytes, length) != (int)length || gzclose(packed) != Z_OK) {
    fprintf(stderr, "%s can't be written\n", argv[2]);
    return 1;
  }
  size_t packed_length;
  free(read_file(argv[2], &packed_length));

  unsigned char *again = malloc(length + 1);
  gzFile file = gzopen(argv[2], "rb");
  int got = file && again ? gzread(file, again, length + 1) : -1;
  if (got != (int)length || memcmp(bytes, again, length) != 0 || gzclose(file) != Z_OK) {
    fprintf(stderr, "%s does not decompress to %s\n", argv[2], argv[1]);
    return 1;
  }
  printf("zlib %s: %zu bytes as %zu\n", zlibVersion(), length, packed_length);
  free(again);
  free(bytes);
  return 0;
}
