// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "budget/lease.h"
#include "engine/checked.h"
#include "engine/lease_file.h"
#include "engine/managed_file.h"
#include "model/job.h"
#include "model/probe_report.h"

namespace storage_probe::worker {

// One run's dealings with the other hosts of a shared mount, over the lease file: it waits its turn
// where the run is a capacity probe or lays a file out, and pays from what all hosts together may
// spend. The rules are those of budget/lease.h. A person's run, whose job has no terms, waits for
// nobody's turn but for one that is under way, and pays nothing. The job must outlive it. Its
// destructor ends the turn; what was paid and not settled stays spent.
class SharedMount {
 public:
  // Why a run cannot go on, or not now.
  struct Refusal {
    Failure failure;
    std::optional<Deferral> deferral;
  };

  // Makes the lease file where it is missing.
  static engine::Checked<SharedMount> open(const engine::ManagedFile& beside, const Job& job,
                                           std::string_view boot_id);

  // Empty: it is paid.
  std::optional<Refusal> pay(const Usage& worst_case);
  // Pays too. Empty: it is this host's turn, until end_turn().
  std::optional<Refusal> take_turn(const Usage& worst_case);
  void end_turn();
  // Gives back what was paid and not used.
  void settle(const Usage& used);

  // As of the last time that this host paid; 1 where it does not.
  std::size_t hosts_seen() const { return hosts_seen_; }
  bool is_known(std::string_view host_id) const { return lease_.is_known(host_id); }

 private:
  using Rule = std::function<std::optional<Refusal>(budget::Lease& lease)>;

  SharedMount(engine::LeaseFile file, const Job& job, std::uint64_t boot)
      : file_(std::move(file)), job_(&job), boot_(boot) {}

  std::optional<Refusal> change(const Rule& rule);
  std::optional<Refusal> apply(budget::Lease& lease, const Rule& rule);
  std::optional<Refusal> reserve(budget::Lease& lease, const Usage& worst_case);
  Refusal not_now(std::string_view why) const;

  engine::LeaseFile file_;
  const Job* job_;
  std::uint64_t boot_;
  budget::Lease lease_;  // as it was last written
  Usage paid_;
  std::size_t hosts_seen_ = 1;
};

}  // namespace storage_probe::worker
