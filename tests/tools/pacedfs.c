// SPDX-License-Identifier: Apache-2.0
// pacedfs BACKING CONTROL MOUNTPOINT: a FUSE file system that shows the directory BACKING and
// answers so many reads and writes a second, together, as the file CONTROL says: each in its turn,
// the next one when its time has come, so that who comes waits for those before and for nothing
// else. No number, or no file: as fast as it goes.
//
// Stays in the foreground; killing it ends the mount's requests with ENOTCONN.

#include "passthrough.h"

static const char* control;

// Guarded by the lock: when the next request has its turn, in nanoseconds of the monotonic clock.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long long next;

static void gate(const char* kind) { (void)kind; }

static void wait_for_turn(void) {
  double rate = 0;
  FILE* file = fopen(control, "re");
  if (file) {
    if (fscanf(file, "%lf", &rate) != 1) rate = 0;
    fclose(file);
  }
  if (rate <= 0) return;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const long long here = now.tv_sec * 1000000000LL + now.tv_nsec;
  pthread_mutex_lock(&lock);
  // What a late wake-up has cost may be made up for, but not for longer than 2 ms.
  if (next < here - 2000000) next = here - 2000000;
  next += (long long)(1e9 / rate);
  const struct timespec turn = {next / 1000000000LL, next % 1000000000LL};
  pthread_mutex_unlock(&lock);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &turn, NULL);
}

static int do_read(const char* path, char* buffer, size_t size, off_t offset,
                   struct fuse_file_info* info) {
  (void)path;
  wait_for_turn();
  return answer(pread((int)info->fh, buffer, size, offset));
}

static int do_write(const char* path, const char* buffer, size_t size, off_t offset,
                    struct fuse_file_info* info) {
  (void)path;
  wait_for_turn();
  return answer(pwrite((int)info->fh, buffer, size, offset));
}

static int do_fsync(const char* path, int data_only, struct fuse_file_info* info) {
  (void)path, (void)data_only, (void)info;
  return 0;  // the backing is memory
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: pacedfs BACKING CONTROL MOUNTPOINT\n");
    return 2;
  }
  control = argv[2];
  return serve(argv, "-oallow_other,fsname=pacedfs",
               (struct fuse_operations){.read = do_read, .write = do_write, .fsync = do_fsync});
}
