// SPDX-License-Identifier: Apache-2.0
// The file that probes read and write. Nothing else is ever opened for writing.
//
// A managed file is <target>/.storage-probe/<host id>.dat. It is ours by its header
// (probe_header.h) and by nothing else. The header is written last, after all data are on the disk,
// and the file gets its name only then: a file of the right size that is full of holes cannot pass
// for a complete one. Everything is done relative to directory descriptors and without following
// symbolic links, so a file that somebody puts, or swaps, in our place is never written to.
//
// Runs in the child process: each call may hang with the target.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "base/unique_fd.h"
#include "base/units.h"
#include "engine/checked.h"
#include "engine/preflight.h"
#include "model/file_size.h"

namespace storage_probe::engine {

enum class Access { read, write };  // what the probe does

// Which file a run wants; from its job.
struct FileRequest {
  ProbeFileSpec spec;
  std::string host_id;  // 16 hex digits
  SpaceRule space;
  Access access = Access::read;
  bool is_shared = false;  // one file for all hosts that share the mount, whichever lays it out

  std::string name() const { return is_shared ? kSharedProbeFile : host_id; }  // without ".dat"
};

// An open probe file, O_DIRECT. Probes stay within [first_byte(), size()).
class ProbeFile {
 public:
  // The complete managed file of an earlier layout, of another host's where ours is missing and the
  // mount is not shared (a restored snapshot); empty when (another) one must be laid out. A
  // configured size must be met exactly; without one, half to twice the default will do, so that a
  // volume whose size moves a little does not cost a layout. A shared file need only be large
  // enough, or hosts that are configured differently would lay it out by turns. Fails with
  // file_conflict, permission_denied, direct_io_rejected or io_error.
  static Checked<std::optional<ProbeFile>> find(const CheckedDirectory& directory,
                                                const FileRequest& request);
  // The operator's own file (mode existing): for reading, regular, at least 1 MiB. It may have
  // holes.
  static Checked<ProbeFile> open_existing(const CheckedDirectory& directory,
                                          const ProbeFileSpec& spec);
  // A block device, for reading.
  static Checked<ProbeFile> open_device(const std::filesystem::path& device);

  // An open file with these figures, for the functions above and lay_out().
  ProbeFile(UniqueFd fd, Bytes size, Bytes first_byte, Bytes alignment)
      : fd_(std::move(fd)), size_(size), first_byte_(first_byte), alignment_(alignment) {}

  int fd() const { return fd_.get(); }
  Bytes size() const { return size_; }
  Bytes first_byte() const { return first_byte_; }  // what is before it is the header
  Bytes usable() const { return size_ - first_byte_; }
  Bytes alignment() const { return alignment_; }  // of offsets and lengths; memory: whole pages
  const std::string& device_number() const { return device_number_; }  // "259:3"; devices only
  bool has_holes() const { return has_holes_; }  // parts that are read without any I/O

 private:
  UniqueFd fd_;
  Bytes size_;
  Bytes first_byte_;
  Bytes alignment_;
  std::string device_number_;
  bool has_holes_ = false;
};

}  // namespace storage_probe::engine
