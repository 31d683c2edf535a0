// SPDX-License-Identifier: Apache-2.0
#include "cli/discovery.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "compliance/terms.h"
#include "config/auto_targets.h"
#include "config/config.h"
#include "config/quoted.h"

namespace storage_probe::cli {
namespace {

constexpr const char* kHead =
    "# What storage_probe_exporter found on this host. Take what you want, say what was bought\n"
    "# where it could not be found out, and check the file with check-config.\n";

// Names of mounts may hold anything; a comment ends with its line.
std::string plain(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

std::string comment(const std::string& text) { return "  # " + plain(text) + "\n"; }

std::string or_unknown(const std::string& text, const char* otherwise) {
  return text.empty() ? otherwise : text;
}

std::string figure(const std::optional<double>& value, const std::string& unit) {
  return value ? ", " + std::to_string(std::llround(*value)) + " " + unit : "";
}

std::string figure_in_bytes(const std::optional<double>& value, const std::string& of) {
  if (!value) return {};
  const Bytes bytes{static_cast<std::uint64_t>(std::llround(*value))};
  return ", " + human_bytes(bytes) + "/s" + of;
}

// "3000 I/Os per second, 125 MiB/s (file)".
std::string described(const Promise& promise) {
  const std::string figures =
      figure(promise.iops, "I/Os per second") + figure(promise.read_iops, "reads per second") +
      figure(promise.write_iops, "writes per second") + figure_in_bytes(promise.throughput, "") +
      figure_in_bytes(promise.read_throughput, " read") +
      figure_in_bytes(promise.write_throughput, " written");
  return figures.substr(std::min<std::size_t>(2, figures.size())) + " (from: " + promise.from + ")";
}

std::string disks_of(const MountIdentity& mount) {
  std::string text;
  for (const Device& device : mount.devices) {
    if (!device.leaf) continue;
    text += (text.empty() ? "" : ", ") + device.name;
    if (!device.volume_id.empty()) text += " (" + device.volume_id + ")";
  }
  return text;
}

std::string place_of(const MountIdentity& mount) {
  std::string text = mount.mountpoint + ": " + mount.fs_type + " on " + mount.source;
  if (const std::string disks = disks_of(mount); !disks.empty()) text += ", disks " + disks;
  if (mount.size.value > 0) text += ", " + human_bytes(mount.size);
  return text;
}

bool is_ebs(const MountIdentity& mount) {
  return std::any_of(mount.devices.begin(), mount.devices.end(),
                     [](const Device& device) { return device.volume_id.starts_with("vol-"); });
}

// What was found of the volume, and what the operator has to add.
std::string described_volume(const MountIdentity& mount, const Terms& terms) {
  std::string text = comment("volume: " + or_unknown(mount.volume_id, "no id to be seen") +
                             "; provider: " + or_unknown(mount.provider, "not known") +
                             "; type: " + or_unknown(terms.type, "not known"));
  const Promise promise = terms.promise();
  if (promise.known()) return text + comment("promise: " + described(promise));
  if (is_ebs(mount))
    return text +
           comment("promise: a guest cannot see the type of an EBS volume, nor what was bought.") +
           comment("Say it here, or in a promises file that one command makes (docs/promises.md):");
  return text + comment("promise: not known: " + terms.note);
}

std::string entry_of(const MountIdentity& mount, const std::string& name, const Terms& terms) {
  std::string text = "  - name: " + name + "\n    path: " + config::quoted(mount.mountpoint) + "\n";
  const std::string size =
      mount.size.value > 0 && terms.type.empty() ? ", size: " + to_text(mount.size) : "";
  if (!terms.promise().known())
    text += is_ebs(mount)
                ? "    # volume: {type: aws.gp3" + size + ", iops: 3000, throughput: 125MiB/s}\n"
                : "    # volume: {iops: 3000, throughput: 125MiB/s}\n";
  return text;
}

// Why a configuration cannot have the entry, which only its path can be the reason of.
bool is_valid(const std::string& entry) {
  return config::parse("targets:\n" + entry, "discovered").errors.empty();
}

void leave_out(targets::Survey& survey, const MountIdentity& mount, const char* why) {
  survey.left_out.push_back({mount.mountpoint, mount.fs_type, mount.source, why});
}

// By reason: there may be dozens of mounts that are no disks.
std::string left_out(const targets::Survey& survey) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const auto& mount : survey.left_out) {
    const auto known = std::find_if(reasons.begin(), reasons.end(),
                                    [&](const auto& reason) { return reason.first == mount.why; });
    if (known == reasons.end())
      reasons.emplace_back(mount.why, mount.mountpoint);
    else
      known->second += ", " + mount.mountpoint;
  }
  if (reasons.empty()) return {};
  std::string text = "\n# Left out, and why:\n";
  for (const auto& [why, mountpoints] : reasons)
    text += "#   " + plain(why) + ": " + plain(mountpoints) + "\n";
  return text;
}

}  // namespace

std::string discovered_config(const targets::Survey& found, const VolumeKnowledge& known) {
  targets::Survey survey = found;
  std::string entries;
  std::set<std::string> names{"all"};  // which stands for every target
  std::size_t count = 0;
  for (const MountIdentity& mount : found.mounts) {
    if (count == config::kMostTargets) {
      leave_out(survey, mount, "there are more than 256 mounts");
      continue;
    }
    const Terms terms = compliance::terms_of({}, mount, known.catalogue, known.book, {});
    const std::string name =
        config::unique_name(config::target_name("{mountpoint}", mount), mount.mountpoint, names);
    const std::string entry = entry_of(mount, name, terms);
    if (!is_valid(entry)) {
      leave_out(survey, mount, "a configuration cannot hold its path");
      continue;
    }
    names.insert(name);
    entries += "\n" + comment(place_of(mount)) + described_volume(mount, terms) + entry;
    ++count;
  }
  return kHead + std::string(count == 0 ? "targets: []\n" : "targets:\n") + entries +
         left_out(survey);
}

}  // namespace storage_probe::cli
