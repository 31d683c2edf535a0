// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace storage_probe::service {

// Of /etc/machine-id, hashed for this program, so that the real one stays private; empty without.
std::optional<std::string> read_machine_id();

struct HostIdSources {
  std::filesystem::path storage_path;  // keeps a made-up id where the machine has none
  std::filesystem::path sysfs = "/sys";
  std::optional<std::string> (*machine_id)() = read_machine_id;
};

// Sixteen hex digits that name this host's probe files, tell it from the hosts it shares a mount
// with, and spread its schedule: the machine id mixed with the board's asset tag, because copies of
// an image share machine ids. Boards without a tag of their own: with the host name and the address
// of the first network card. Without a machine id: random, kept in <storage_path>/host-id, and
// drawn again when that comes to lie on other hardware, as a copy of it does.
Result<std::string> host_id(const HostIdSources& sources);

// What --host.id takes: 1 to 16 hex digits.
Result<std::string> parse_host_id(const std::string& text);

}  // namespace storage_probe::service
