// SPDX-License-Identifier: Apache-2.0
// What verdicts leave to the next daemon, and take from the one before.
#include <algorithm>
#include <utility>

#include "service/verdicts.h"

namespace storage_probe::service {
namespace {

ProbeStatus* find_probe(TargetStatus* status, const std::string& probe) {
  if (status == nullptr) return nullptr;
  for (ProbeStatus& known : status->probes)
    if (known.spec.name == probe) return &known;
  return nullptr;
}

}  // namespace

// The detail is for people, who have it with the latest result.
void Verdicts::note_in(History& history, RunRecord run) {
  std::optional<LatestResult> latest;
  const ProbeStatus* const status = find_probe(recorder_.find(run.target), run.probe);
  if (status != nullptr && status->result) {
    const VerdictStatus& verdict = status->verdict;
    latest = {run.target,    run.probe,         *status->result,    verdict.current,
              verdict.since, verdict.compliant, verdict.last_judged};
  }
  if (run.judgement) run.judgement->detail.clear();
  history.note_run(run, latest);
}

void Verdicts::remember(const std::vector<HistoryRecord>& records, WallTime now) {
  for (const HistoryRecord& record : records) {
    if (const auto* run = std::get_if<RunRecord>(&record)) {
      remember_run(*run);
    } else if (const auto* latest = std::get_if<LatestResult>(&record)) {
      show_again(*latest);
    } else if (const auto* credits = std::get_if<CreditsRecord>(&record)) {
      Volume* const volume = find(credits->target);
      if (volume == nullptr || !volume->burst.restore(credits->levels)) continue;
      volume->burst.skip(std::max<Duration>(now - credits->when, Duration{}));
    }
  }
  for (auto& [name, volume] : volumes_) {
    // A second opinion that the earlier daemon waited for does not come any more.
    for (auto& [probe_name, probe] : volume.probes)
      static_cast<void>(probe.course.on_no_confirmation());
    show(volume);
  }
}

void Verdicts::remember_run(const RunRecord& run) {
  Volume* const volume = find(run.target);
  if (volume == nullptr) return;
  const auto found = volume->probes.find(run.probe);
  if (found == volume->probes.end()) return;  // no longer configured
  if (volume->volume.empty()) volume->volume = run.volume_id;
  Probe& probe = found->second;
  probe.course.remember(run);
  probe.had_drop = probe.course.has_confirmed_drop();  // was said by the daemon that saw it
}

void Verdicts::show_again(const LatestResult& latest) {
  ProbeStatus* const status = find_probe(recorder_.find(latest.target), latest.probe);
  if (status == nullptr || status->last_run) return;
  status->result = latest.result;
  status->last_run = status->last_success = latest.result.ended;
  status->last_succeeded = true;
  status->verdict.current = latest.verdict;
  status->verdict.since = latest.verdict_since;
  status->verdict.compliant = latest.compliant;
  status->verdict.last_judged = latest.last_judged;
}

void Verdicts::save(History& history, WallTime now) const {
  for (const auto& [name, volume] : volumes_)
    if (volume.burst.balance())
      history.note(CreditsRecord{name, volume.volume, now, volume.burst.save()});
}

}  // namespace storage_probe::service
