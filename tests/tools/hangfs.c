// SPDX-License-Identifier: Apache-2.0
// hangfs BACKING CONTROL MOUNTPOINT: a FUSE file system that shows the directory BACKING and can be
// told to stop answering, as a dead NFS server or a detached volume does. The file CONTROL holds
// one word, read before every answer: "all" (nothing is answered), "open" (no open or create),
// "read" (no read, write or fsync), "fsync" (no fsync), "unlink" (no unlink); anything else, or no
// file: all is answered. Taking the word away lets the waiting requests go. A process that waits
// for a request which this program has read cannot be killed: state D, for real.
//
// Stays in the foreground; killing it ends the mount's requests with ENOTCONN.
#include "passthrough.h"

static const char* control;

static void gate(const char* kind) {
  for (;;) {
    char word[16] = "";
    FILE* file = fopen(control, "re");
    if (file) {
      if (fscanf(file, "%15s", word) != 1) word[0] = 0;
      fclose(file);
    }
    if (strcmp(word, "all") != 0 && strcmp(word, kind) != 0) return;
    usleep(10000);
  }
}

static int do_read(const char* path, char* buffer, size_t size, off_t offset,
                   struct fuse_file_info* info) {
  (void)path;
  gate("read");
  return answer(pread((int)info->fh, buffer, size, offset));
}

static int do_write(const char* path, const char* buffer, size_t size, off_t offset,
                    struct fuse_file_info* info) {
  (void)path;
  gate("read");
  return answer(pwrite((int)info->fh, buffer, size, offset));
}

static int do_fsync(const char* path, int data_only, struct fuse_file_info* info) {
  (void)path;
  gate("read");
  gate("fsync");
  return answer(data_only ? fdatasync((int)info->fh) : fsync((int)info->fh));
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: hangfs BACKING CONTROL MOUNTPOINT\n");
    return 2;
  }
  control = argv[2];
  return serve(argv, "-oallow_other,fsname=hangfs",
               (struct fuse_operations){.read = do_read, .write = do_write, .fsync = do_fsync});
}
