// SPDX-License-Identifier: Apache-2.0
#include "service/surroundings.h"

#include <chrono>
#include <utility>

#include "compliance/terms.h"
#include "config/auto_targets.h"
#include "targets/mountinfo.h"
#include "targets/resolve.h"
#include "targets/survey.h"

namespace storage_probe::service {
namespace {

constexpr std::chrono::hours kModification{24};

// The figures alone: where they are from is no change of the volume.
bool is_same_promise(Promise a, const Promise& b) {
  a.from = b.from;
  return a == b;
}

}  // namespace

config::Config with_found_targets(const config::Config& config, const std::filesystem::path& procfs,
                                  const std::filesystem::path& sysfs) {
  if (config.auto_rules.empty()) return config;
  const auto found = targets::survey(procfs, {sysfs});
  return found ? config::expand(config, found->mounts) : config;
}

void Surroundings::note_identity(const std::string& target, const MountIdentity& identity) {
  if (!volume_key(identity).empty()) found_[target] = identity;
}

// A volume that was there before, with another promise than it has now, is being modified.
void Surroundings::remember(const PromiseRecord& record, WallTime now) {
  const auto found = known_.find(record.target);
  if (found == known_.end() || found->second.volume != record.volume_id) return;
  Known& known = found->second;
  if (known.before) return;        // changed since we started
  if (record.since > now) return;  // written by a clock that was wrong
  const bool has_changed = !is_same_promise(record.now, known.terms.volume);
  if (!has_changed &&
      (is_same_promise(record.before, record.now) || now - record.since >= kModification))
    return;
  known.before = known.terms;
  known.before->volume = has_changed ? record.now : record.before;
  known.since = has_changed ? now : record.since;
}

Terms Surroundings::settled(const std::string& target, const MountIdentity& identity,
                            const Terms& terms, WallTime now) {
  const std::string volume = volume_key(identity);
  const auto [entry, is_new] = known_.try_emplace(target, Known{volume, terms, {}, now});
  Known& known = entry->second;
  const bool is_another = known.volume != volume;
  const bool has_changed = !is_another && known.terms.volume.known() &&
                           !is_same_promise(known.terms.volume, terms.volume);
  if (is_new || is_another || has_changed) {
    const Promise before = has_changed ? known.terms.volume : terms.volume;
    changes_.push_back({target, volume, now, before, terms.volume});
    if (has_changed) known.before = known.terms;
    if (is_another) known.before.reset();
    known.since = now;
  }
  known.volume = volume;
  known.terms = terms;
  if (known.before && now - known.since >= kModification) known.before.reset();
  return known.before ? compliance::lower_of(*known.before, terms) : terms;
}

Surroundings::InForce Surroundings::evaluate(WallTime now) {
  InForce result{with_found_targets(config_, procfs_, sysfs_), {}};
  const auto mounts = targets::read_mountinfo(procfs_);
  for (Target& target : result.config.targets) {
    MountIdentity identity;
    if (const auto found = found_.find(target.name); found != found_.end()) {
      identity = found->second;
    } else if (mounts && !target.path.empty()) {
      const auto* const mount = targets::find_by_path(*mounts, target.path);
      if (mount != nullptr) identity = targets::resolve(*mount, *mounts, {sysfs_});
    }
    Terms terms =
        compliance::terms_of(target.volume, identity, config_.catalogue, book_, config_.instance);
    terms = settled(target.name, identity, terms, now);
    target = config::with_promise(target, terms.promise());
    result.terms[target.name] = std::move(terms);
  }
  std::erase_if(known_, [&](const auto& entry) { return !result.terms.contains(entry.first); });
  std::erase_if(found_, [&](const auto& entry) { return !result.terms.contains(entry.first); });
  return result;
}

std::vector<PromiseRecord> Surroundings::take_changes() { return std::exchange(changes_, {}); }

}  // namespace storage_probe::service
