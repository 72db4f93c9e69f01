/* A disk that can be made to stall: loaded before the C library (LD_PRELOAD), fsync and fdatasync wait for as long as the file
   exists that SLOW_FSYNC_WHILE names, at most half a minute. They do what they always do after that. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static void wait_while_stalled(void) {
  const char *stalled = getenv("SLOW_FSYNC_WHILE");
  if (stalled == NULL) return;
  for (int waited_ms = 0; waited_ms < 30000 && access(stalled, F_OK) == 0; waited_ms += 5) usleep(5000);
}

typedef int (*sync_call)(int);

int fsync(int file) {
  wait_while_stalled();
  return ((sync_call)dlsym(RTLD_NEXT, "fsync"))(file);
}

int fdatasync(int file) {
  wait_while_stalled();
  return ((sync_call)dlsym(RTLD_NEXT, "fdatasync"))(file);
}
