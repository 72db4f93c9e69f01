/* A disk that can be made to stall: when this is loaded before the C library (LD_PRELOAD), calls wait as long as a file exists, at
   most half a minute, and then do what they normally do. SLOW_FSYNC_WHILE names the file for fsync and fdatasync;
   SLOW_PREALLOCATION_WHILE names one for pwrite, by which a server makes a new log file large. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

static void wait_while(const char *variable) {
  const char *stalled = getenv(variable);
  if (stalled == NULL) return;
  for (int waited_ms = 0; waited_ms < 30000 && access(stalled, F_OK) == 0; waited_ms += 5) usleep(5000);
}

typedef int (*sync_call)(int);
typedef ssize_t (*write_call)(int, const void *, size_t, off64_t);

int fsync(int file) {
  wait_while("SLOW_FSYNC_WHILE");
  return ((sync_call)dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
  wait_while("SLOW_FSYNC_WHILE");
  return ((sync_call)dlsym(RTLD_NEXT, "fdatasync"))(file);
}

ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) {
  wait_while("SLOW_PREALLOCATION_WHILE");
  return ((write_call)dlsym(RTLD_NEXT, "pwrite64"))(file, data, size, at);
}
