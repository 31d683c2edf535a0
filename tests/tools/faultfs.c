// SPDX-License-Identifier: Apache-2.0
// faultfs BACKING CONTROL MOUNTPOINT: a FUSE file system that shows the directory BACKING and
// breaks as it is told. The file CONTROL, read before every answer, holds "KIND FAULT AFTER": from
// the AFTER-th answer of KIND ("read", "write" or "fsync") on, counted since CONTROL changed,
//   EIO ENOSPC ESTALE EINVAL   each fails so,
//   EAGAIN                     every second one does,
//   short                      a block is read by half (of a write the kernel makes EIO),
//   slow                       one in 200 takes 200 ms,
//   lost                       one write in 50 is confirmed and forgotten,
//   torn                       of one write in 50 the first half is written, and all is confirmed.
// Anything else, or no file: all is well.
//
// Stays in the foreground; killing it ends the mount's requests with ENOTCONN.

#include "passthrough.h"

static const char* control;

// Guarded by the lock: what CONTROL said last, and how many answers of its kind there were since.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char last[64];
static unsigned long answers;

static void gate(const char* kind) { (void)kind; }

static int errno_of(const char* fault) {
  if (strcmp(fault, "EIO") == 0) return EIO;
  if (strcmp(fault, "ENOSPC") == 0) return ENOSPC;
  if (strcmp(fault, "ESTALE") == 0) return ESTALE;
  if (strcmp(fault, "EINVAL") == 0) return EINVAL;
  return 0;
}

// What to do with an answer: a negative errno value, or how many of `size` bytes to transfer.
static long judge(const char* kind, size_t size) {
  char text[64] = "", wanted[16] = "", fault[16] = "";
  unsigned long after = 0;
  FILE* file = fopen(control, "re");
  if (file) {
    if (!fgets(text, sizeof text, file)) text[0] = 0;
    fclose(file);
  }
  const int known = sscanf(text, "%15s %15s %lu", wanted, fault, &after) == 3;
  pthread_mutex_lock(&lock);
  if (strcmp(text, last) != 0) {
    strcpy(last, text);
    answers = 0;
  }
  const int is_meant = known && strcmp(wanted, kind) == 0;
  const unsigned long number = is_meant ? answers++ : 0;
  pthread_mutex_unlock(&lock);
  if (!is_meant || number < after) return (long)size;
  if (errno_of(fault)) return -errno_of(fault);
  if (strcmp(fault, "EAGAIN") == 0 && number % 2 == 1) return -EAGAIN;
  if (strcmp(fault, "short") == 0 && size >= 4096) return (long)(size / 2);
  if (strcmp(fault, "slow") == 0 && number % 200 == 199) usleep(200000);
  if (strcmp(fault, "lost") == 0 && number % 50 == 49) return 0;
  if (strcmp(fault, "torn") == 0 && number % 50 == 49) return (long)(size / 2);
  return (long)size;
}

// Whether a write that is not done in full is confirmed in full.
static int is_lie(void) {
  pthread_mutex_lock(&lock);
  const int lies = strstr(last, " lost ") || strstr(last, " torn ");
  pthread_mutex_unlock(&lock);
  return lies;
}

static int do_read(const char* path, char* buffer, size_t size, off_t offset,
                   struct fuse_file_info* info) {
  (void)path;
  const long allowed = judge("read", size);
  return allowed < 0 ? (int)allowed : answer(pread((int)info->fh, buffer, (size_t)allowed, offset));
}

static int do_write(const char* path, const char* buffer, size_t size, off_t offset,
                    struct fuse_file_info* info) {
  (void)path;
  const long allowed = judge("write", size);
  if (allowed < 0) return (int)allowed;
  const ssize_t written = pwrite((int)info->fh, buffer, (size_t)allowed, offset);
  const int lies = allowed < (long)size && is_lie();
  return written == allowed && lies ? (int)size : answer(written);
}

static int do_fsync(const char* path, int data_only, struct fuse_file_info* info) {
  (void)path;
  const long allowed = judge("fsync", 0);
  if (allowed < 0) return (int)allowed;
  return answer(data_only ? fdatasync((int)info->fh) : fsync((int)info->fh));
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: faultfs BACKING CONTROL MOUNTPOINT\n");
    return 2;
  }
  control = argv[2];
  return serve(argv, "-oallow_other,fsname=faultfs",
               (struct fuse_operations){.read = do_read, .write = do_write, .fsync = do_fsync});
}
