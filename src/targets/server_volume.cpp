// SPDX-License-Identifier: Apache-2.0
#include "targets/server_volume.h"

#include <algorithm>
#include <string_view>
#include <system_error>
#include <vector>

namespace storage_probe::targets {
namespace {

constexpr std::size_t kMaxStateFiles = 1024;

bool is_this_host(std::string_view server) {
  return server.starts_with("127.") || server == "localhost" || server == "::1";
}

// "fs-0123456789abcdef0", in full.
bool is_file_system_id(std::string_view text) {
  return text.starts_with("fs-") && text.size() > 3 &&
         text.find_first_not_of("0123456789abcdef", 3) == std::string_view::npos;
}

// "eu-west-1", "us-gov-east-1".
bool is_region(std::string_view text) {
  return std::count(text.begin(), text.end(), '-') >= 2 && text.back() >= '0' &&
         text.back() <= '9' &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::vector<std::string_view> labels_of(std::string_view host) {
  std::vector<std::string_view> labels;
  while (!host.empty()) {
    const std::size_t end = std::min(host.find('.'), host.size());
    labels.push_back(host.substr(0, end));
    host.remove_prefix(std::min(end + 1, host.size()));
  }
  return labels;
}

// "fs-1.efs.eu-west-1.amazonaws.com", "euw1-az1.fs-1.efs.…", "fs-1.s3files.…", "svm-1.fs-1.fsx.…".
VolumeFacts by_name(std::string_view server, const std::string& fs_type) {
  const std::vector<std::string_view> labels = labels_of(server);
  const auto id = std::find_if(labels.begin(), labels.end(), is_file_system_id);
  if (id - labels.begin() > 1 || labels.end() - id < 4 || !is_region(id[2])) return {};
  VolumeFacts facts{std::string(*id), "", "aws"};
  if (id[1] == "efs" || id[1] == "s3files") return facts;
  if (id[1] != "fsx") return {};
  if (fs_type == "lustre") facts.type = "aws.fsx.lustre";
  return facts;
}

// efs-utils mounts 127.0.0.1 and keeps "fs-deadbeef.mnt.efs.20407" for the tunnel on port 20407 to
// fs-deadbeef that was made for /mnt/efs. A bind mount has another path and the same port.
std::string by_tunnel(const Mount& mount, const std::filesystem::path& run) {
  const std::string port = find_option(mount.super_options, "port");
  if (port.empty()) return {};
  std::string ending = mount.mountpoint + "." + port;
  std::replace(ending.begin(), ending.end(), '/', '.');
  std::vector<std::string> ids;  // of tunnels on that port; what is stale may be among them
  std::error_code error;
  std::filesystem::directory_iterator entry(run / "efs", error);
  for (std::size_t seen = 0;
       !error && entry != std::filesystem::directory_iterator() && seen < kMaxStateFiles;
       ++seen, entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    std::string id = name.substr(0, name.find('.'));
    if (!name.ends_with("." + port) || !is_file_system_id(id)) continue;
    if (name == id + ending) return id;
    ids.push_back(std::move(id));
  }
  std::sort(ids.begin(), ids.end());
  return !ids.empty() && ids.front() == ids.back() ? ids.front() : std::string();
}

}  // namespace

std::string server_of(const Mount& mount) {
  const std::string_view source = mount.source;
  if (source.starts_with("//")) return std::string(source.substr(2, source.find('/', 2) - 2));
  const std::size_t end = source.find(":/");
  if (end == std::string_view::npos || end == 0) return {};
  std::string server(source.substr(0, end));
  const std::string port = find_option(mount.super_options, "port");
  if (is_this_host(server) && !port.empty()) server.append(":").append(port);
  return server;
}

VolumeFacts server_volume(const Mount& mount, const std::filesystem::path& run) {
  const std::size_t end = mount.source.find_first_of(":@");  // Lustre: "server@tcp:/name"
  if (end == std::string::npos) return {};
  const std::string server = mount.source.substr(0, end);
  if (!is_this_host(server)) return by_name(server, mount.fs_type);
  const std::string id = by_tunnel(mount, run);
  return id.empty() ? VolumeFacts{} : VolumeFacts{id, "", "aws"};
}

}  // namespace storage_probe::targets
