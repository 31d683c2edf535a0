// SPDX-License-Identifier: Apache-2.0
// For LD_PRELOAD: the wall clock of a process as far off as the file $CLOCKSTEP says, in seconds.
// The other clocks are the kernel's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static long offset(void) {
  const char* path = getenv("CLOCKSTEP");
  const int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return 0;
  char text[32] = {0};
  const long got = read(fd, text, sizeof text - 1);
  close(fd);
  return got > 0 ? atol(text) : 0;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  static int (*kernels)(clockid_t, struct timespec*);
  if (!kernels) *(void**)&kernels = dlsym(RTLD_NEXT, "clock_gettime");
  const int result = kernels(clock, time);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += offset();
  return result;
}
