// SPDX-License-Identifier: Apache-2.0
// freshfs BACKING CONTROL MOUNTPOINT: a FUSE file system that shows the directory BACKING and takes
// so many milliseconds for a 4 KiB block that is read for the first time as the file CONTROL says,
// as a volume does whose blocks still have to come from a snapshot. Of one file, up to 1 GiB.
//
// Stays in the foreground; killing it ends the mount's requests with ENOTCONN.

#include "passthrough.h"

#define BLOCKS (1 << 18)

static const char* control;
static char has_been_read[BLOCKS];  // each byte is written once, whoever comes first

static void gate(const char* kind) { (void)kind; }

static void wait_for_first(off_t offset) {
  char* block = &has_been_read[(offset / 4096) % BLOCKS];
  if (__atomic_exchange_n(block, 1, __ATOMIC_RELAXED)) return;
  int milliseconds = 0;
  FILE* file = fopen(control, "re");
  if (file) {
    if (fscanf(file, "%d", &milliseconds) != 1) milliseconds = 0;
    fclose(file);
  }
  usleep(1000U * (unsigned)milliseconds);
}

static int do_read(const char* path, char* buffer, size_t size, off_t offset,
                   struct fuse_file_info* info) {
  (void)path;
  wait_for_first(offset);
  return answer(pread((int)info->fh, buffer, size, offset));
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: freshfs BACKING CONTROL MOUNTPOINT\n");
    return 2;
  }
  control = argv[2];
  return serve(argv, "-oallow_other,fsname=freshfs", (struct fuse_operations){.read = do_read});
}
