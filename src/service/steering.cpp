// SPDX-License-Identifier: Apache-2.0
#include "service/steering.h"

#include <chrono>
#include <utility>

namespace storage_probe::service {
namespace {

constexpr std::chrono::seconds kLookAround{5};

WallTime wall_now() { return std::chrono::system_clock::now(); }

}  // namespace

Steering::Steering(EventLoop& loop, metrics::Recorder& recorder, Runs& runs, Logger& logger,
                   Roots roots)
    : recorder_(recorder),
      runs_(runs),
      logger_(logger),
      surroundings_(std::move(roots.procfs), std::move(roots.sysfs)),
      promises_(loop, logger, [this](PromiseBook book) {
        surroundings_.set_book(std::move(book));
        if (in_force_) follow();
      }) {
  runs_.on_history([this](const auto& records) { remember(records); });
}

// Also what does not show in targets and terms, as windows, has to reach the runs.
Result<void> Steering::take_over(const config::Config& config) {
  in_force_.reset();
  surroundings_.set_config(config);
  if (auto watching = promises_.watch(config.promise_files); !watching) return watching;
  return put_in_force();
}

void Steering::tick(SteadyTime now) {
  promises_.tick(now);
  if (now - last_look_ < kLookAround) return;
  last_look_ = now;
  look_around();
}

// What runs have found under their targets, or what is mounted, may have changed.
void Steering::look_around() {
  for (const TargetStatus& status : recorder_.statuses(wall_now()))
    surroundings_.note_identity(status.name, status.identity);
  follow();
}

void Steering::follow() {
  if (const auto configured = put_in_force(); !configured)
    logger_.error("cannot follow what is mounted or promised",
                  {{"error", configured.error().message}});
}

Result<void> Steering::put_in_force() {
  auto next = surroundings_.evaluate(wall_now());
  if (in_force_ && *in_force_ == next) return {};
  in_force_ = std::move(next);
  auto configured = runs_.configure(in_force_->config, in_force_->terms);
  if (!configured) return configured;
  for (const PromiseRecord& change : surroundings_.take_changes()) {
    runs_.keep(change);
    if (change.before == change.now) continue;
    logger_.info("another promise than before: for 24 h the lower of both holds",
                 {{"target", change.target}, {"volume", change.volume_id}});
  }
  return {};
}

void Steering::remember(const std::vector<HistoryRecord>& records) {
  for (const HistoryRecord& record : records)
    if (const auto* change = std::get_if<PromiseRecord>(&record))
      surroundings_.remember(*change, wall_now());
}

}  // namespace storage_probe::service
