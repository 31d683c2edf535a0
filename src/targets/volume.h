// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace storage_probe::targets {

// What a guest can tell of the volume behind a disk. What it cannot is empty.
struct VolumeFacts {
  std::string id;    // the provider's where it shows one, else of the slot it is in, else a serial
  std::string type;  // an id of the catalogue, where there is no doubt
  std::string provider;

  bool operator==(const VolumeFacts&) const = default;
};

// From the attributes of a whole disk, by its number ("259:3"). `cloud` is cloud_of(sysfs).
VolumeFacts volume_of(const std::filesystem::path& sysfs, const std::string& number,
                      const std::string& cloud);

}  // namespace storage_probe::targets
