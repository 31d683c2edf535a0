// SPDX-License-Identifier: Apache-2.0
#include "service/verdicts.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "compliance/judge.h"
#include "service/make_job.h"

namespace storage_probe::service {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr minutes kBetweenSuspicions{15};
// Until a second opinion that was asked for has come, or never will: a minute to begin, and what
// its run takes.
constexpr seconds kOpinionTakes{90};

WallTime wall_now() { return std::chrono::system_clock::now(); }

const ProbeSpec* find_spec(const Target& target, const std::string& probe) {
  for (const PlannedProbe& planned : target.probes)
    if (planned.spec.name == probe) return &planned.spec;
  return nullptr;
}

// The probe that asks what a volume can do: the first random one that reads, or any.
const PlannedProbe* capacity_probe(const Target& target) {
  const PlannedProbe* any = nullptr;
  for (const PlannedProbe& planned : target.probes) {
    if (planned.spec.kind != Kind::capacity) continue;
    if (planned.spec.pattern == Pattern::random && !planned.spec.writes()) return &planned;
    if (any == nullptr) any = &planned;
  }
  return any;
}

std::optional<Duration> median_of(const ProbeReport& report) {
  LatencyHistogram both = report.measured.operations[Operation::read].latency;
  both.merge(report.measured.operations[Operation::write].latency);
  return both.quantile(0.5);
}

}  // namespace

Verdicts::Volume* Verdicts::find(const std::string& target) {
  const auto found = volumes_.find(target);
  return found == volumes_.end() ? nullptr : &found->second;
}

void Verdicts::set_terms(const Target& target, const Terms& terms) {
  Volume& volume = volumes_[target.name];
  const bool has_other_buckets = volume.terms.buckets != terms.buckets;
  volume.target = target;
  volume.terms = terms;
  if (has_other_buckets) volume.burst = compliance::Burst(terms);
  volume.passive.expect(terms, idle_latency(recorder_.find(target.name), wall_now()));
  std::erase_if(volume.probes,
                [&](const auto& probe) { return find_spec(target, probe.first) == nullptr; });
  if (TargetStatus* const status = recorder_.find(target.name)) status->terms = terms;
  show(volume);
}

void Verdicts::forget(const std::string& target) { volumes_.erase(target); }

void Verdicts::note_volume(Volume& volume, const MountIdentity& identity) {
  const std::string key = volume_key(identity);
  if (key.empty()) return;
  // An earlier daemon has left the key alone.
  const bool is_same =
      volume.volume.empty() || volume.volume == key ||
      (volume.found ? same_volume(*volume.found, identity) : volume.volume == identity.device);
  if (!is_same) {
    logger_.warn("another volume: what was usual of the old one is forgotten",
                 {{"target", volume.target.name}, {"before", volume.volume}, {"now", key}});
    volume.burst = compliance::Burst(volume.terms);
    volume.probes.clear();
  }
  volume.volume = key;
  volume.found = identity;
}

RunRecord Verdicts::record_of(const Volume& volume, const ProbeReport& report) const {
  RunRecord run;
  run.ended = report.ended;
  run.target = report.target;
  run.probe = report.spec.name;
  run.volume_id = volume.volume;
  run.engine = report.engine;
  run.kernel = kernel_;
  run.outcome = report.outcome;
  run.latency = median_of(report);
  if (report.spec.kind == Kind::latency) return run;
  const compliance::Achieved achieved = compliance::achieved(report, volume.terms);
  run.iops = achieved.iops;
  run.throughput = achieved.throughput;
  run.judgement = compliance::judge(report, volume.terms, volume.burst.balance());
  return run;
}

std::vector<Verdicts::Wish> Verdicts::on_run(const ProbeReport& report, History* history,
                                             SteadyTime now) {
  Volume* const volume = find(report.target);
  if (volume == nullptr || find_spec(volume->target, report.spec.name) == nullptr) return {};
  // Of a target that is not ready it names what lies in its place.
  if (report.state == TargetState::ready) note_volume(*volume, report.identity);
  if (report.outcome != Outcome::ok) {
    on_skip(report.target, report.spec.name, report.ended);
    return {};
  }
  if (report.spec.kind == Kind::capacity) volume->burst.note_run(report);
  const RunRecord run = record_of(*volume, report);
  auto wishes = take(*volume, run, now);
  if (report.spec.kind == Kind::latency)
    volume->passive.expect(volume->terms,
                           idle_latency(recorder_.find(report.target), report.ended));
  if (history != nullptr) note_in(*history, run);
  return wishes;
}

std::vector<Verdicts::Wish> Verdicts::take(Volume& volume, const RunRecord& run, SteadyTime now) {
  Probe& probe = volume.probes[run.probe];
  const auto step = probe.course.on_run(run);
  probe.asked.reset();
  if (step.verdict) recorder_.judged(run.target, run.probe, *step.verdict, run.evidence, run.ended);
  std::vector<Wish> wishes;
  if (step.wants_confirmation) {
    probe.asked = now;
    probe.first = run.evidence;
    wishes.push_back({run.target, run.probe});
  } else if (step.is_suspicious) {
    wishes = suspect(volume, now);
  }
  show(volume);
  return wishes;
}

std::vector<Verdicts::Wish> Verdicts::suspect(Volume& volume, SteadyTime now) {
  const PlannedProbe* const planned = capacity_probe(volume.target);
  if (planned == nullptr) return {};
  if (volume.suspected && now - *volume.suspected < kBetweenSuspicions) return {};
  volume.suspected = now;
  return {{volume.target.name, planned->spec.name}};
}

// What a first look at others' load has found is confirmed by a second one as well as by a probe,
// which would be in their way.
void Verdicts::on_skip(const std::string& target, const std::string& probe, WallTime now) {
  Volume* const volume = find(target);
  if (volume == nullptr) return;
  const auto found = volume->probes.find(probe);
  if (found == volume->probes.end() || !found->second.course.awaits_confirmation()) return;
  if (found->second.first == Evidence::passive) return;
  found->second.asked.reset();
  const auto step = found->second.course.on_no_confirmation();
  if (step.verdict) recorder_.judged(target, probe, *step.verdict, Evidence::probe, now);
  show(*volume);
}

void Verdicts::give_up_waiting(Volume& volume, SteadyTime now) {
  for (auto& [name, probe] : volume.probes) {
    if (!probe.asked) continue;
    const ProbeSpec* const spec = find_spec(volume.target, name);
    const Duration takes = kOpinionTakes + (spec == nullptr ? Duration{} : spec->longest());
    if (now - *probe.asked < takes) continue;
    probe.asked.reset();
    const auto step = probe.course.on_no_confirmation();
    if (step.verdict)
      recorder_.judged(volume.target.name, name, *step.verdict, probe.first, wall_now());
    show(volume);
  }
}

std::vector<Verdicts::Wish> Verdicts::on_seconds(const std::map<std::string, DeviceSecond>& seconds,
                                                 SteadyTime now) {
  std::vector<Wish> wishes;
  for (auto& [name, volume] : volumes_) {
    give_up_waiting(volume, now);
    const auto second = seconds.find(name);
    if (second == seconds.end()) continue;
    volume.burst.add(second->second);
    if (volume.burst.balance()) show(volume);
    volume.passive.add(second->second);
    if (const auto found = volume.passive.take(volume.burst.balance())) {
      const auto more = take_passive(volume, *found, now);
      wishes.insert(wishes.end(), more.begin(), more.end());
    }
  }
  return wishes;
}

std::vector<Verdicts::Wish> Verdicts::take_passive(Volume& volume,
                                                   const compliance::PassiveRun& found,
                                                   SteadyTime now) {
  const PlannedProbe* const planned = capacity_probe(volume.target);
  if (planned == nullptr) return {};
  RunRecord run;
  run.ended = wall_now();
  run.target = volume.target.name;
  run.probe = planned->spec.name;
  run.volume_id = volume.volume;
  run.kernel = kernel_;
  run.evidence = Evidence::passive;
  run.iops = found.iops;
  run.throughput = found.throughput;
  run.judgement = found.judgement;
  if (found.judgement.verdict != Verdict::inconclusive) volume.probes[run.probe].answered = now;
  return take(volume, run, now);
}

void Verdicts::show(Volume& volume) {
  TargetStatus* const status = recorder_.find(volume.target.name);
  if (status == nullptr) return;
  status->burst_balance.reset();
  if (const auto balance = volume.burst.balance())
    status->burst_balance = {balance->low, balance->high};
  for (ProbeStatus& shown : status->probes) {
    Probe& probe = volume.probes[shown.spec.name];
    const auto iops = probe.course.iops_baseline();
    const auto latency = probe.course.latency_baseline();
    shown.verdict.baseline_iops = iops ? std::optional(iops->median) : std::nullopt;
    shown.baseline_latency = latency ? std::optional(from_seconds(latency->median)) : std::nullopt;
    shown.verdict.confirmed_drop = probe.course.has_confirmed_drop();
    if (probe.had_drop == shown.verdict.confirmed_drop) continue;
    probe.had_drop = shown.verdict.confirmed_drop;
    const std::string detail = shown.verdict.current ? shown.verdict.current->detail : "";
    const LogField target{"target", volume.target.name};
    if (probe.had_drop) {
      logger_.warn(
          "volume fell, and a second run confirmed it",
          {target, {"probe", shown.spec.name}, {"volume", volume.volume}, {"detail", detail}});
    } else {
      logger_.info("volume delivers again", {target, {"probe", shown.spec.name}});
    }
  }
}

std::set<std::pair<std::string, std::string>> Verdicts::answered(SteadyTime now) const {
  std::set<std::pair<std::string, std::string>> probes;
  for (const auto& [name, volume] : volumes_)
    for (const PlannedProbe& planned : volume.target.probes) {
      const auto found = volume.probes.find(planned.spec.name);
      if (found == volume.probes.end() || !found->second.answered) continue;
      if (now - *found->second.answered < planned.every) probes.emplace(name, planned.spec.name);
    }
  return probes;
}

}  // namespace storage_probe::service
