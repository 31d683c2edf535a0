// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

#include "base/unique_fd.h"
#include "engine/layout.h"
#include "engine/preflight.h"
#include "engine/probe_file.h"

namespace storage_probe::test {

// A directory that has passed the preflight, on a mount of which the tests say that it is ext4.
inline engine::CheckedDirectory checked(const std::filesystem::path& path) {
  Target target;
  target.path = path;
  target.any_directory = true;
  engine::MountFacts facts;
  facts.identity.mountpoint = "/";
  facts.identity.fs_type = "ext4";
  facts.identity.source = "/dev/vda";
  auto directory = engine::open_target(path);
  if (!directory) throw std::runtime_error(directory.failure().message);
  auto checked = engine::check_mount(*std::move(directory), target, facts);
  if (!checked) throw std::runtime_error(checked.failure().message);
  return *std::move(checked);
}

// A request for a file of `size`, whatever space is left afterwards.
inline engine::FileRequest request(Bytes size, engine::Access access = engine::Access::read) {
  engine::FileRequest request;
  request.spec.size = size;
  request.host_id = "00c0ffee00c0ffee";
  request.space = {0, Bytes{}};
  request.access = access;
  return request;
}

inline engine::LayoutOptions unlimited() { return {}; }

inline bool has_direct_io(const std::filesystem::path& directory) {
  const UniqueFd fd(::open(directory.c_str(), O_TMPFILE | O_RDWR | O_DIRECT, 0600));
  return static_cast<bool>(fd);
}

}  // namespace storage_probe::test
