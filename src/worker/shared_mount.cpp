// SPDX-License-Identifier: Apache-2.0
#include "worker/shared_mount.h"

#include <algorithm>
#include <string>
#include <variant>

#include "base/hash.h"
#include "engine/run_clock.h"

namespace storage_probe::worker {
namespace {

SharedMount::Refusal conflict(const std::string& message) {
  return {engine::fail(TargetState::file_conflict, message), std::nullopt};
}

SharedMount::Refusal refusal_of(budget::LeaseFault fault, const std::string& name) {
  if (fault == budget::LeaseFault::newer_version)
    return conflict(name +
                    " was written by a newer version of this program: nothing is done on this "
                    "mount until this host has that version too");
  return conflict(name +
                  " is not the lease of this program: it is left untouched; remove or rename it");
}

}  // namespace

engine::Checked<SharedMount> SharedMount::open(const engine::ManagedFile& beside, const Job& job,
                                               std::string_view boot_id) {
  auto file = engine::LeaseFile::open(beside);
  if (!file) return file.failure();
  return SharedMount(*std::move(file), job, stable_hash(boot_id));
}

SharedMount::Refusal SharedMount::not_now(std::string_view why) const {
  return {{"busy", file_.name() + ": " + std::string(why)}, Deferral::shared_lease};
}

std::optional<SharedMount::Refusal> SharedMount::change(const Rule& rule) {
  std::optional<Refusal> refusal;
  const auto done = file_.update([&](std::string_view bytes) -> std::optional<std::string> {
    auto decoded = budget::Lease::decode(bytes);
    if (const auto* fault = std::get_if<budget::LeaseFault>(&decoded)) {
      if (*fault != budget::LeaseFault::damaged) {
        refusal = refusal_of(*fault, file_.name());
        return std::nullopt;
      }
      decoded = budget::Lease::spent_in_full(job_->fleet->allowance);
    }
    auto& lease = std::get<budget::Lease>(decoded);
    refusal = apply(lease, rule);
    lease_ = lease;
    return lease.encode();  // also after a refusal: that this host waits is to be known
  });
  if (!done) return Refusal{done.failure(), std::nullopt};
  if (!*done) return not_now("other hosts are at it");
  return refusal;
}

std::optional<SharedMount::Refusal> SharedMount::apply(budget::Lease& lease, const Rule& rule) {
  const auto seen = lease.check_in({job_->host_id, boot_, engine::boot_time().time_since_epoch()});
  if (!seen) return conflict(file_.name() + ": " + seen.error().message);
  hosts_seen_ = std::max<std::size_t>(lease.hosts_seen(), 1);
  return rule(lease);
}

std::optional<SharedMount::Refusal> SharedMount::reserve(budget::Lease& lease,
                                                         const Usage& worst_case) {
  const auto reserved = lease.reserve(worst_case, job_->fleet->allowance);
  if (reserved) return std::nullopt;
  return Refusal{{"busy", file_.name() + ": " + reserved.error().message}, Deferral::budget};
}

std::optional<SharedMount::Refusal> SharedMount::pay(const Usage& worst_case) {
  if (!job_->fleet) return std::nullopt;
  auto refusal = change([&](budget::Lease& lease) { return reserve(lease, worst_case); });
  if (!refusal) paid_ += worst_case;
  return refusal;
}

// The order is looked at before the lock, so that only the host that goes first ever tries it.
std::optional<SharedMount::Refusal> SharedMount::take_turn(const Usage& worst_case) {
  const bool has_terms = job_->fleet.has_value();
  if (has_terms) {
    auto refusal = change([&](budget::Lease& lease) -> std::optional<Refusal> {
      const auto first = lease.ask(job_->host_id, job_->fleet->returns_in);
      if (!first) return std::nullopt;
      return not_now("it is the turn of host " + *first);
    });
    if (refusal) return refusal;
  }
  const auto taken = file_.take_turn();
  if (!taken) return Refusal{taken.failure(), std::nullopt};
  if (!*taken) return not_now("another host is probing the mount");
  if (!has_terms) return std::nullopt;
  auto refusal = change([&](budget::Lease& lease) {
    auto short_of = reserve(lease, worst_case);
    if (short_of) {
      lease.withdraw(job_->host_id);
    } else {
      lease.begin_turn(job_->host_id);
    }
    return short_of;
  });
  if (refusal) {
    end_turn();
  } else {
    paid_ += worst_case;
  }
  return refusal;
}

void SharedMount::end_turn() { file_.release_turn(); }

void SharedMount::settle(const Usage& used) {
  if (!job_->fleet || paid_ == Usage{}) return;
  // Whatever keeps it from being written leaves it spent in full.
  static_cast<void>(change([&](budget::Lease& lease) {
    lease.settle(paid_, used, job_->fleet->allowance);
    return std::nullopt;
  }));
  paid_ = {};
}

}  // namespace storage_probe::worker
