// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace storage_probe::service {

struct HostIdSources {
  std::filesystem::path storage_path;  // keeps a made-up id where the machine has none
  std::filesystem::path sysfs = "/sys";
};

// Sixteen hex digits that name this host's probe files and spread its schedule: the machine id
// (hashed for this program, so that the real one stays private) mixed with the board's asset tag or
// the host name, because cloned images share machine ids. Without a machine id: random, kept in
// <storage_path>/host-id.
Result<std::string> host_id(const HostIdSources& sources);

// What --host.id takes: 1 to 16 hex digits.
Result<std::string> parse_host_id(const std::string& text);

}  // namespace storage_probe::service
