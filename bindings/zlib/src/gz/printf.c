/* gzprintf and gzvprintf format the text in the file's buffer, and write it by gzwrite. */

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

typedef struct file *gzFile;

int gzwrite(gzFile file, const void *from, unsigned len);
int pelton_gz_text(gzFile file, char **text, size_t *room);

int gzvprintf(gzFile file, const char *format, va_list arguments) {
    char *text;
    size_t room;
    int code = pelton_gz_text(file, &text, &room);
    if (code != 0)
        return code;
    int len = vsnprintf(text, room, format, arguments);
    /* Text that doesn't fit is not written at all. */
    if (len <= 0 || (size_t)len >= room)
        return 0;
    return gzwrite(file, text, (unsigned)len);
}

int gzprintf(gzFile file, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int len = gzvprintf(file, format, arguments);
    va_end(arguments);
    return len;
}
