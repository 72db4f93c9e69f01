/* A disk that can be made to stall, or to be full: this is loaded before the C library (LD_PRELOAD). Each of these variables names a
   file; the calls wait as long as it exists, at most a minute, and then do what they normally do.
     SLOW_FSYNC_WHILE          fsync and fdatasync
     SLOW_PREALLOCATION_WHILE  pwrite, by which a server makes a new log file large
     SLOW_SNAPSHOT_WHILE       write to a snapshot file
   While the file FULL_WHILE exists, write to a file of a data directory ends with the error "no space left on device". */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int asked_for(const char *variable) {
  const char *marker = getenv(variable);
  return marker != NULL && access(marker, F_OK) == 0;
}

static void wait_while(const char *variable) {
  for (int waited_ms = 0; waited_ms < 60000 && asked_for(variable); waited_ms += 5) usleep(5000);
}

static int is_in(int file, const char *part) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, part) != NULL;
}

typedef int (*sync_call)(int);
typedef ssize_t (*write_call)(int, const void *, size_t);
typedef ssize_t (*write_at_call)(int, const void *, size_t, off64_t);

int fsync(int file) {
  wait_while("SLOW_FSYNC_WHILE");
  return ((sync_call)dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
  wait_while("SLOW_FSYNC_WHILE");
  return ((sync_call)dlsym(RTLD_NEXT, "fdatasync"))(file);
}

ssize_t write(int file, const void *data, size_t size) {
  if (asked_for("SLOW_SNAPSHOT_WHILE") && is_in(file, "/snapshot.")) wait_while("SLOW_SNAPSHOT_WHILE");
  if (asked_for("FULL_WHILE") && is_in(file, "/data/")) {
    errno = ENOSPC;
    return -1;
  }
  return ((write_call)dlsym(RTLD_NEXT, "write"))(file, data, size);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
  wait_while("SLOW_PREALLOCATION_WHILE");
  return ((write_at_call)dlsym(RTLD_NEXT, "pwrite64"))(file, data, size, at);
}
