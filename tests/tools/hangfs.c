// SPDX-License-Identifier: Apache-2.0
// hangfs BACKING CONTROL MOUNTPOINT: a FUSE file system that shows the directory BACKING and can be
// told to stop answering, as a dead NFS server or a detached volume does. The file CONTROL holds
// one word, read before every answer: "all" (nothing is answered), "open" (no open or create),
// "read" (no read or write); anything else, or no file: all is answered. Taking the word away lets
// the waiting requests go. A process that waits for a request which this program has read cannot be
// killed: state D, for real.
//
// Stays in the foreground; killing it ends the mount's requests with ENOTCONN.
#define _GNU_SOURCE
#define FUSE_USE_VERSION 35
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int backing = -1;
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

// Paths come absolute; the backing directory is our root.
static const char* below(const char* path) { return path[1] ? path + 1 : "."; }
static int answer(long result) { return result < 0 ? -errno : (int)result; }

static int do_getattr(const char* path, struct stat* out, struct fuse_file_info* info) {
  (void)info;
  gate("stat");
  return answer(fstatat(backing, below(path), out, AT_SYMLINK_NOFOLLOW));
}

static int do_readdir(const char* path, void* buffer, fuse_fill_dir_t fill, off_t offset,
                      struct fuse_file_info* info, enum fuse_readdir_flags flags) {
  (void)offset, (void)info, (void)flags;
  gate("stat");
  int fd = openat(backing, below(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* directory = fd < 0 ? NULL : fdopendir(fd);
  if (!directory) return -errno;
  for (struct dirent* entry; (entry = readdir(directory));) fill(buffer, entry->d_name, NULL, 0, 0);
  closedir(directory);
  return 0;
}

// The backing file is opened buffered: what is direct at the mount need not be so behind it.
static int do_create(const char* path, mode_t mode, struct fuse_file_info* info) {
  gate("open");
  int fd = openat(backing, below(path), (info->flags & ~O_DIRECT) | O_CREAT | O_CLOEXEC, mode);
  if (fd < 0) return -errno;
  info->fh = (uint64_t)fd;
  return 0;
}

static int do_open(const char* path, struct fuse_file_info* info) {
  gate("open");
  int fd = openat(backing, below(path), (info->flags & ~O_DIRECT) | O_CLOEXEC);
  if (fd < 0) return -errno;
  info->fh = (uint64_t)fd;
  return 0;
}

static int do_release(const char* path, struct fuse_file_info* info) {
  (void)path;
  return answer(close((int)info->fh));
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
  return answer(data_only ? fdatasync((int)info->fh) : fsync((int)info->fh));
}

static int do_mkdir(const char* path, mode_t mode) {
  gate("stat");
  return answer(mkdirat(backing, below(path), mode));
}

static int do_unlink(const char* path) {
  gate("stat");
  return answer(unlinkat(backing, below(path), 0));
}

static int do_rename(const char* from, const char* to, unsigned flags) {
  gate("stat");
  return answer(renameat2(backing, below(from), backing, below(to), flags));
}

static int do_chmod(const char* path, mode_t mode, struct fuse_file_info* info) {
  (void)info;
  gate("stat");
  return answer(fchmodat(backing, below(path), mode, 0));
}

static int do_truncate(const char* path, off_t size, struct fuse_file_info* info) {
  (void)path;
  gate("stat");
  return info ? answer(ftruncate((int)info->fh, size)) : -EOPNOTSUPP;
}

static int do_statfs(const char* path, struct statvfs* out) {
  (void)path;
  gate("stat");
  return answer(fstatvfs(backing, out));
}

// Nothing is cached, so that every look at the mount asks us.
static void* do_init(struct fuse_conn_info* connection, struct fuse_config* config) {
  (void)connection;
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
  config->nullpath_ok = 0;
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: hangfs BACKING CONTROL MOUNTPOINT\n");
    return 2;
  }
  backing = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (backing < 0) {
    perror(argv[1]);
    return 1;
  }
  control = argv[2];
  static const struct fuse_operations operations = {
      .init = do_init,
      .getattr = do_getattr,
      .readdir = do_readdir,
      .create = do_create,
      .open = do_open,
      .release = do_release,
      .read = do_read,
      .write = do_write,
      .fsync = do_fsync,
      .mkdir = do_mkdir,
      .unlink = do_unlink,
      .rename = do_rename,
      .chmod = do_chmod,
      .statfs = do_statfs,
      .truncate = do_truncate,
  };
  char* arguments[] = {argv[0], "-f", "-oallow_other,fsname=hangfs", argv[3], NULL};
  return fuse_main(4, arguments, &operations, NULL);
}
