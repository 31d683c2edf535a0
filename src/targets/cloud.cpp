// SPDX-License-Identifier: Apache-2.0
// The tests are those that AWS documents (identify_ec2_instances) and that cloud-init's ds-identify
// makes. product_serial and product_uuid are root's alone: each cloud has a test without them.
#include "targets/cloud.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

#include "targets/sysfs.h"

namespace storage_probe::targets {
namespace {

constexpr std::string_view kAzureChassis = "7783-7084-3265-9085-8269-3286-77";

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kVendors{
    {{"Amazon EC2", "aws"},
     {"Linode", "akamai"},
     {"Akamai", "akamai"},
     {"DigitalOcean", "digitalocean"},
     {"Hetzner", "hetzner"},
     {"Vultr", "vultr"},
     {"Scaleway", "scaleway"},
     {"UpCloud", "upcloud"}}};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kProducts{
    {{"Google Compute Engine", "gcp"},
     {"Alibaba Cloud ECS", "alibaba"},
     {"OpenStack Nova", "openstack"},
     {"OpenStack Compute", "openstack"}}};

template <std::size_t N>
std::string named(const std::array<std::pair<std::string_view, std::string_view>, N>& names,
                  std::string_view text) {
  for (const auto& [name, cloud] : names)
    if (text == name) return std::string(cloud);
  return {};
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// "ec2e1916-…", and the same with its first group in the other byte order: "45E12AEC-…".
bool is_ec2_uuid(std::string_view uuid) {
  if (uuid.starts_with("ec2")) return true;
  return uuid.size() > 8 && uuid[8] == '-' && uuid[4] == '2' && uuid.substr(6, 2) == "ec";
}

bool is_ec2_instance(std::string_view asset_tag) {
  constexpr std::size_t kShortest = 10;  // "i-" and eight digits, of early instances
  return asset_tag.starts_with("i-") && asset_tag.size() >= kShortest &&
         asset_tag.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
}

}  // namespace

std::string cloud_of(const std::filesystem::path& sysfs) {
  const auto dmi = [&sysfs](const char* name) {
    return read_attribute(sysfs / "class/dmi/id" / name);
  };
  const std::string chassis = dmi("chassis_asset_tag");
  if (chassis == kAzureChassis) return "azure";
  if (chassis == "OracleCloud.com") return "oci";
  if (std::string cloud = named(kVendors, dmi("sys_vendor")); !cloud.empty()) return cloud;
  if (std::string cloud = named(kProducts, dmi("product_name")); !cloud.empty()) return cloud;
  if (dmi("product_serial").starts_with("GoogleCloud-")) return "gcp";
  const bool is_xen_ec2 = lower(read_attribute(sysfs / "hypervisor/uuid")).starts_with("ec2");
  if (is_xen_ec2 || is_ec2_instance(dmi("board_asset_tag")) ||
      is_ec2_uuid(lower(dmi("product_uuid"))))
    return "aws";
  return {};
}

}  // namespace storage_probe::targets
