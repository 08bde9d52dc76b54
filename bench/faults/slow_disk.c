/* A slow disk: every write and sync below the folder SLOW_BELOW takes SLOW_MS longer, every read a tenth of that.
 * Loaded with LD_PRELOAD by slow_disk.py. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static long slow_us(void) {
    static long us = -1;
    if (us < 0) us = getenv("SLOW_MS") ? atol(getenv("SLOW_MS")) * 1000 : 0;
    return us;
}

static int below(int fd) {
    char link[64], path[4096];
    const char *folder = getenv("SLOW_BELOW");
    if (!folder) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    return length > 0 && !strncmp(path, folder, strlen(folder)) && !strstr(path, "/logs/");
}

static void wait_us(int fd, long us) {
    if (us > 0 && below(fd)) {
        struct timespec pause = {us / 1000000, us % 1000000 * 1000};
        nanosleep(&pause, NULL);
    }
}

#define SLOW(result, name, arguments, call, us)                                   \
    result name arguments {                                                       \
        static result (*real) arguments;                                          \
        if (!real) real = (result (*) arguments)dlsym(RTLD_NEXT, #name);          \
        wait_us(fd, us);                                                          \
        return real call;                                                         \
    }

SLOW(int, fsync, (int fd), (fd), slow_us())
SLOW(int, fdatasync, (int fd), (fd), slow_us())
SLOW(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size), slow_us())
SLOW(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at), slow_us())
SLOW(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at), slow_us())
SLOW(ssize_t, pread, (int fd, void *data, size_t size, off_t at), (fd, data, size, at), slow_us() / 10)
SLOW(ssize_t, pread64, (int fd, void *data, size_t size, off64_t at), (fd, data, size, at), slow_us() / 10)
