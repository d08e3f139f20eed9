/* Stands before the C library: with a file at DISK_FAULT that has the name of a call, that call on a database file fails. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int fails(int fd, const char *call) {
    char link[64], path[4096], wanted[32] = "";
    const char *fault = getenv("DISK_FAULT");
    FILE *file = fault ? fopen(fault, "r") : NULL;
    if (!file) return 0;
    if (!fgets(wanted, sizeof wanted, file)) wanted[0] = 0;
    fclose(file);
    if (strcmp(wanted, call)) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (!strstr(path, ".sqlite3")) return 0;
    errno = EIO;
    return 1;
}

#define REAL(name) (*(__typeof__(&name))dlsym(RTLD_NEXT, #name))

int fsync(int fd) { return fails(fd, "fsync") ? -1 : REAL(fsync)(fd); }
int fdatasync(int fd) { return fails(fd, "fsync") ? -1 : REAL(fdatasync)(fd); }
ssize_t write(int fd, const void *data, size_t size) { return fails(fd, "write") ? -1 : REAL(write)(fd, data, size); }
ssize_t pwrite(int fd, const void *data, size_t size, off_t at) {
    return fails(fd, "write") ? -1 : REAL(pwrite)(fd, data, size, at);
}
ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    return fails(fd, "write") ? -1 : REAL(pwrite64)(fd, data, size, at);
}
ssize_t read(int fd, void *data, size_t size) { return fails(fd, "read") ? -1 : REAL(read)(fd, data, size); }
ssize_t pread(int fd, void *data, size_t size, off_t at) {
    return fails(fd, "read") ? -1 : REAL(pread)(fd, data, size, at);
}
ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
    return fails(fd, "read") ? -1 : REAL(pread64)(fd, data, size, at);
}
