// SPDX-License-Identifier: Apache-2.0
// A scheduler in a world of its own: a clock that jumps from event to event, and probes that take
// as long as they are told to.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "schedule/scheduler.h"

namespace storage_probe::schedule::test {

using namespace std::chrono_literals;

inline PlannedProbe planned(std::string_view preset, Duration every) {
  return {*find_preset(preset), every};
}

inline Target target(const std::string& name, std::vector<PlannedProbe> probes) {
  Target target;
  target.name = name;
  target.path = "/" + name;
  target.file.size = Bytes{64 * kMiB.value};
  target.probes = std::move(probes);
  return target;
}

inline config::Config config_of(std::vector<Target> targets) {
  config::Config config;
  config.targets = std::move(targets);
  return config;
}

struct Started {
  std::string target, probe;
  SteadyTime at;
};
struct Skipped {
  std::string target, probe;
  SkipReason reason;
  SteadyTime at;
  std::string detail;
};

class World {
 public:
  static constexpr SteadyTime kStart{std::chrono::hours{1000}};

  explicit World(config::Config config, const std::string& host = "0123456789abcdef")
      : config(std::move(config)), scheduler(this->config, prepared_ledger(), host, kStart) {}

  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Until `end`: takes every decision when it is due, ends every run that is over.
  void run_until(SteadyTime end) {
    while (true) {
      finish_runs();
      const auto wake = decide();
      const SteadyTime next = std::min(wake, next_finish());
      if (next > end) break;
      facts.now = next;
    }
    facts.now = end;
  }
  void run_for(Duration time) { run_until(facts.now + time); }
  // As a suspend does: time passes and nobody looks.
  void sleep_for(Duration time) { facts.now += time; }

  void reload(config::Config next) {
    for (auto& [name, run] : running) {
      for (std::size_t t = 0; t < next.targets.size(); ++t) {
        if (next.targets[t].name == name) run.id.target = t;
      }
    }
    config = std::move(next);
    prepared_ledger();
    scheduler.reload(config, facts.now);
  }

  std::vector<SteadyTime> starts_of(const std::string& target, const std::string& probe) const {
    std::vector<SteadyTime> times;
    for (const Started& start : started) {
      if (start.target == target && start.probe == probe) times.push_back(start.at);
    }
    return times;
  }
  std::size_t skips_of(SkipReason reason) const {
    return static_cast<std::size_t>(
        std::count_if(skipped.begin(), skipped.end(),
                      [&](const Skipped& skip) { return skip.reason == reason; }));
  }
  ProbeId id_of(const std::string& target, const std::string& probe) const {
    for (std::size_t t = 0; t < config.targets.size(); ++t) {
      for (std::size_t p = 0; p < config.targets[t].probes.size(); ++p) {
        if (config.targets[t].name == target && config.targets[t].probes[p].spec.name == probe)
          return {t, p};
      }
    }
    return {999, 999};
  }

  struct Run {
    ProbeId id;
    budget::Ledger::Reservation reservation;
    SteadyTime end;
    Ending ending;
  };

  config::Config config;
  Facts facts{kStart, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  budget::Ledger ledger;
  Scheduler scheduler;  // keeps a pointer to the ledger: a world stays where it was made
  std::map<std::string, Duration> takes;  // by target; else 2 s
  std::map<std::string, Ending> endings;  // by target; else finished
  std::map<std::string, Run> running;     // by target
  std::vector<Started> started;
  std::vector<Skipped> skipped;
  std::vector<Start> grants;

 private:
  budget::Ledger& prepared_ledger() {
    const Usage plenty{24h, Bytes{1ULL << 50U}, Ops{1ULL << 40U}};
    for (const Target& target : config.targets)
      ledger.set_allowance(target.name, plenty, facts.now);
    return ledger;
  }

  void finish_runs() {
    for (auto it = running.begin(); it != running.end();) {
      if (it->second.end > facts.now) {
        ++it;
        continue;
      }
      const Run run = it->second;
      it = running.erase(it);
      ledger.settle(run.reservation, run.reservation.amount, facts.now);
      scheduler.on_finished(run.id, run.ending, facts.now);
    }
  }

  SteadyTime next_finish() const {
    SteadyTime first = SteadyTime::max();
    for (const auto& [name, run] : running) first = std::min(first, run.end);
    return first;
  }

  SteadyTime decide() {
    while (true) {
      const Decision decision = scheduler.next(facts);
      if (const auto* wait = std::get_if<WaitUntil>(&decision)) return wait->when;
      if (const auto* start = std::get_if<Start>(&decision)) {
        const Target& target = config.targets[start->id.target];
        const auto time = takes.find(target.name);
        const auto ending = endings.find(target.name);
        started.push_back({target.name, target.probes[start->id.probe].spec.name, facts.now});
        grants.push_back(*start);
        running[target.name] = {start->id, start->reservation,
                                facts.now + (time == takes.end() ? 2s : time->second),
                                ending == endings.end() ? Ending::finished : ending->second};
      } else {
        const Skip& skip = std::get<Skip>(decision);
        const Target& target = config.targets[skip.id.target];
        skipped.push_back({target.name, target.probes[skip.id.probe].spec.name, skip.reason,
                           facts.now, skip.detail});
      }
    }
  }
};

}  // namespace storage_probe::schedule::test
