// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "config/config.h"
#include "model/history.h"
#include "model/target.h"
#include "model/terms.h"

namespace storage_probe::service {

// The configuration with the targets that its rules make of what is mounted now. Reads /proc and
// /sys only.
config::Config with_found_targets(const config::Config& config, const std::filesystem::path& procfs,
                                  const std::filesystem::path& sysfs);

// From what the operator has written, what the mount table shows and what is known to be promised
// follows the configuration that is in force: targets with the promise of the volume that is under
// them now, and what they are judged against. Owned by the service, on the loop's thread; reads
// /proc and /sys only, which wait for no disk.
class Surroundings {
 public:
  struct InForce {
    config::Config config;
    std::map<std::string, Terms> terms;  // by target

    bool operator==(const InForce& other) const {
      return config.targets == other.config.targets && terms == other.terms;
    }
  };

  Surroundings(std::filesystem::path procfs, std::filesystem::path sysfs)
      : procfs_(std::move(procfs)), sysfs_(std::move(sysfs)) {}

  void set_config(config::Config config) { config_ = std::move(config); }
  void set_book(PromiseBook book) { book_ = std::move(book); }
  // What a run has found under its target. Empty: nothing, the mount table tells.
  void note_identity(const std::string& target, const MountIdentity& identity);
  // What an earlier daemon knew to be promised.
  void remember(const PromiseRecord& record, WallTime now);

  // Looks at the mount table. For a day after a promise of a volume has changed the lower of both
  // holds, for a volume takes as long to be modified.
  InForce evaluate(WallTime now);
  // Promises that were new or different in evaluate(), for the history: once.
  std::vector<PromiseRecord> take_changes();

 private:
  struct Known {
    std::string volume;  // what it is told apart by
    Terms terms;         // as they are now
    std::optional<Terms> before;
    WallTime since;  // of the change
  };

  Terms settled(const std::string& target, const MountIdentity& identity, const Terms& terms,
                WallTime now);

  std::filesystem::path procfs_, sysfs_;
  config::Config config_;
  PromiseBook book_;
  std::map<std::string, MountIdentity> found_;  // by runs, by target
  std::map<std::string, Known> known_;          // by target
  std::vector<PromiseRecord> changes_;
};

}  // namespace storage_probe::service
