// SPDX-License-Identifier: Apache-2.0
#include "service/run_log.h"

#include <chrono>

namespace storage_probe::service {
namespace {

constexpr std::chrono::hours kRepeat{1};
// Words that hold changing figures make new messages: forget the old ones before they pile up.
constexpr std::size_t kMaxWordsPerTarget = 64;

// "read 3.01k IOPS, p50 245 us; write …" for people who read logs; sequential ones as a throughput.
std::string summary(const ProbeReport& report) {
  std::string text;
  for (const Operation op : kOperations) {
    const OperationStats& stats = report.measured.operations[op];
    if (stats.ios == 0) continue;
    const double seconds = to_seconds(report.measured.duration);
    if (!text.empty()) text += "; ";
    const auto rate = [seconds](std::uint64_t n) {
      return seconds > 0 ? static_cast<double>(n) / seconds : 0;
    };
    text += std::string(to_text(op)) + " ";
    text += report.spec.pattern == Pattern::sequential && op != Operation::fsync
                ? human_byte_rate(rate(stats.bytes.value))
                : human_count(rate(stats.ios)) + " IOPS";
    if (const auto median = stats.latency.quantile(0.5)) text += ", p50 " + human_duration(*median);
  }
  return text;
}

// "queue_depth_limited, unsteady"
std::string list(const std::vector<Doubt>& doubts) {
  std::string text;
  for (const Doubt doubt : doubts) text += (text.empty() ? "" : ", ") + std::string(to_text(doubt));
  return text;
}

// Free space and the like differ each time and are no news.
std::string without_figures(std::string text) {
  std::erase_if(text, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
  return text;
}

}  // namespace

bool RunLog::is_news(const std::string& target, const std::string& words, SteadyTime now) {
  auto& said = said_[target];
  const auto found = said.find(words);
  if (found != said.end() && now - found->second < kRepeat) return false;
  if (said.size() >= kMaxWordsPerTarget) said.clear();
  said[words] = now;
  return true;
}

// What is compared is the last thing *said*: a state that came back within the hour and stays is
// said when the hour is over.
void RunLog::state_changed(const ProbeReport& report, SteadyTime now) {
  const std::string state(to_text(report.state));
  const bool is_ready = report.state == TargetState::ready;
  const std::string why = report.failure && !is_ready ? report.failure->message : "";
  const std::string words = without_figures(state + ": " + why);
  std::string& last = states_[report.target];
  if (words == last || !is_news(report.target, words, now)) return;
  last = words;
  if (is_ready) {
    logger_.info("target is ready", {{"target", report.target},
                                     {"mountpoint", report.identity.mountpoint},
                                     {"fstype", report.identity.fs_type},
                                     {"device", report.identity.device}});
  } else {
    logger_.warn("target is not ready",
                 {{"target", report.target}, {"state", state}, {"reason", why}});
  }
}

void RunLog::note_engine(const ProbeReport& report) {
  if (report.engine_note.empty() || !engine_notes_.insert(report.engine_note).second) return;
  logger_.warn("probing with threads, not io_uring",
               {{"target", report.target}, {"cause", report.engine_note}});
}

void RunLog::finished(const ProbeReport& report, SteadyTime now) {
  note_engine(report);
  state_changed(report, now);
  if (report.outcome == Outcome::ok) {
    const LogField target{"target", report.target};
    const LogField probe{"probe", report.spec.name};
    const LogField result{"result", summary(report)};
    const LogField duration{"duration", human_duration(report.measured.duration)};
    if (report.doubts.empty()) {
      logger_.info("probe finished", {target, probe, result, duration});
    } else {
      logger_.info("probe finished",
                   {target, probe, result, duration, {"doubts", list(report.doubts)}});
    }
    return;
  }
  if (report.failure && report.failure->code == to_text(report.state)) return;  // said above
  const std::string why = report.failure ? report.failure->message : "";
  if (!is_news(report.target, report.spec.name + ": " + why, now)) return;
  logger_.info("probe did not finish", {{"target", report.target},
                                        {"probe", report.spec.name},
                                        {"outcome", std::string(to_text(report.outcome))},
                                        {"reason", why}});
}

void RunLog::skipped(const std::string& target, const std::string& probe, std::string_view reason,
                     const std::string& detail) {
  logger_.debug(
      "probe skipped",
      {{"target", target}, {"probe", probe}, {"reason", std::string(reason)}, {"detail", detail}});
}

void RunLog::not_started(const std::string& target, const std::string& why, SteadyTime now) {
  if (!is_news(target, why, now)) return;
  logger_.warn("probe not started", {{"target", target}, {"reason", why}});
}

void RunLog::planned(const std::string& summary) { logger_.info("plan", {{"cost", summary}}); }

void RunLog::held(const Holds& before, const Holds& now) {
  for (const auto& [target, hold] : now) {
    const auto known = before.find(target);
    if (known != before.end() && known->second == hold) continue;
    logger_.warn("held: not probed", {{"target", target}, {"hold", describe(hold)}});
  }
  for (const auto& [target, hold] : before) {
    if (!now.contains(target)) logger_.info("released: probed again", {{"target", target}});
  }
}

void RunLog::held_unknown(const std::string& target, SteadyTime now) {
  const std::string why = "no target of the configuration is called so: remove the file";
  if (is_news(target, why, now))
    logger_.warn("hold without a target", {{"target", target}, {"reason", why}});
}

void RunLog::stopped(const std::string& target, const std::string& probe) {
  logger_.info("probe ended: the exporter is stopping", {{"target", target}, {"probe", probe}});
}

void RunLog::forget(const std::string& target) {
  states_.erase(target);
  said_.erase(target);
}

}  // namespace storage_probe::service
