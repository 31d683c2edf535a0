// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace storage_probe::targets {

// Whose machine this is, as its firmware says under /sys/class/dmi and /sys/hypervisor: "aws",
// "azure", "oci", "gcp", "akamai", "digitalocean", "hetzner", "vultr", "scaleway", "upcloud",
// "alibaba", "openstack". Empty where none of them is recognised. Asks no network.
std::string cloud_of(const std::filesystem::path& sysfs);

}  // namespace storage_probe::targets
