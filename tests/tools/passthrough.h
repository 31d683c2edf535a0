// SPDX-License-Identifier: Apache-2.0
// The part that the FUSE servers of the tests share: a directory shown as it is. Who includes it
// defines gate(), called before each answer with its kind ("stat", "open" or "unlink"), adds
// do_read, do_write and do_fsync, and calls serve().
#define _GNU_SOURCE
#define FUSE_USE_VERSION 35
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int backing = -1;

static void gate(const char* kind);

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

static int do_mkdir(const char* path, mode_t mode) {
  gate("stat");
  return answer(mkdirat(backing, below(path), mode));
}

static int do_unlink(const char* path) {
  gate("unlink");
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

// Each names its type of file system; `read`, `write` and `fsync` are its own.
static int serve(char** argv, const char* options, struct fuse_operations data) {
  backing = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (backing < 0) {
    perror(argv[1]);
    return 1;
  }
  struct fuse_operations operations = {
      .init = do_init,
      .getattr = do_getattr,
      .readdir = do_readdir,
      .create = do_create,
      .open = do_open,
      .release = do_release,
      .read = data.read,
      .write = data.write,
      .fsync = data.fsync,
      .mkdir = do_mkdir,
      .unlink = do_unlink,
      .rename = do_rename,
      .chmod = do_chmod,
      .statfs = do_statfs,
      .truncate = do_truncate,
  };
  char* arguments[] = {argv[0], "-f", strdup(options), argv[3], NULL};
  return fuse_main(4, arguments, &operations, NULL);
}
