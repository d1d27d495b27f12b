/* A library to preload into a command (LD_PRELOAD): it sends the process a signal in the middle of its work, at the
 * same place in every run. QUERN_TEST_SIGNAL="19 4 /journal.0": signal 19 at the end of the 4th write to a file whose
 * path contains "/journal.0". A negative number is an error: "-28 3 /journal.1" lets the 3rd write to such a file and
 * all later ones fail with error 28, no space left on the device. */
#define _GNU_SOURCE 1 /* RTLD_NEXT */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef ssize_t write_function(int descriptor, const void *data, size_t size);

__attribute__((visibility("default"))) ssize_t write(int descriptor, const void *data, size_t size)
{
    static atomic_int count;
    write_function *next = NULL;
    void *found = dlsym(RTLD_NEXT, "write");
    memcpy(&next, &found, sizeof next); /* ISO C has no conversion between these pointers */

    const char *setting = getenv("QUERN_TEST_SIGNAL");
    char link[40], path[4096], part[256];
    int number, wanted;
    if (!setting || sscanf(setting, "%d %d %255s", &number, &wanted, part) != 3) return next(descriptor, data, size);
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return next(descriptor, data, size);
    path[length] = '\0';
    const int writes = strstr(path, part) ? atomic_fetch_add(&count, 1) + 1 : 0;
    if (number < 0 && writes >= wanted) {
        errno = -number;
        return -1;
    }
    const ssize_t written = next(descriptor, data, size);
    if (number > 0 && writes == wanted) kill(getpid(), number);
    return written;
}
