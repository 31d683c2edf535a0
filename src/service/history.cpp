// SPDX-License-Identifier: Apache-2.0
#include "service/history.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "wire/history.h"

namespace storage_probe::service {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kFormat = "storage_probe_exporter history 1";
constexpr std::size_t kMostRuns = 100;  // of a probe: each quarter of an hour for a day
constexpr hours kRemembered{24};
constexpr minutes kApart{14};  // runs that nobody judges
constexpr unsigned kRewriteAfter = 2000;
constexpr seconds kTryAgain{60};
constexpr seconds kPatience{5};  // of the first probe, for what was kept

SteadyTime now() { return std::chrono::steady_clock::now(); }

template <typename Map>
void append_all(const Map& map, std::vector<HistoryRecord>& records) {
  for (const auto& [key, record] : map) records.emplace_back(record);
}

}  // namespace

Result<std::unique_ptr<History>> History::open(EventLoop& loop,
                                               const std::filesystem::path& storage_path,
                                               Logger& logger, OnRead on_read) {
  auto file = RecordFile::open(storage_path / "history", kFormat);
  if (!file) return Unexpected(file.error());
  std::unique_ptr<History> history(new History(*std::move(file), logger, std::move(on_read)));
  auto source =
      loop.on_readable(history->file_.event_fd(), [it = history.get()] { it->on_event(); });
  if (!source) return Unexpected(source.error());
  history->source_ = *std::move(source);
  return history;
}

History::History(RecordFile file, Logger& logger, OnRead on_read)
    : file_(std::move(file)), logger_(logger), on_read_(std::move(on_read)), opened_(now()) {}

bool History::is_settled() const {
  return is_read_ || has_complained_ || now() - opened_ >= kPatience;
}

// Every answer of the file takes its event back, so all of them are asked.
void History::on_event() {
  const auto contents = file_.take_contents();
  static_cast<void>(file_.durable());
  const auto failure = file_.failure();
  if (contents) take_over(*contents);
  if (failure && !has_complained_) {
    has_complained_ = true;
    logger_.warn("what is measured is not kept for the next start", {{"reason", failure->message}});
  } else if (!failure && has_complained_ && is_read_) {
    has_complained_ = false;
    logger_.info("what is measured is kept again for the next start");
  }
}

// A line that is damaged, or of another version, is left out: the rest is as good without it.
void History::take_over(const RecordFile::Contents& contents) {
  is_read_ = true;
  const WallTime latest = std::chrono::system_clock::now();
  const WallTime oldest = latest - kRemembered;
  for (const std::string& line : contents.records) {
    const auto record = wire::decode_history(line);
    if (!record) continue;
    const auto* const run = std::get_if<RunRecord>(&*record);
    if (run != nullptr && (run->ended < oldest || run->ended > latest)) continue;
    const auto* const result = std::get_if<LatestResult>(&*record);
    if (result != nullptr && result->result.ended > latest) continue;  // of a clock that was wrong
    keep(*record);
  }
  rewrite();
  on_read_(all());
}

// Whether it is worth a line in the file.
bool History::keep(const HistoryRecord& record) {
  if (const auto* run = std::get_if<RunRecord>(&record)) return keep_run(*run);
  if (const auto* latest = std::get_if<LatestResult>(&record))
    latest_[{latest->target, latest->probe}] = *latest;
  if (const auto* credits = std::get_if<CreditsRecord>(&record))
    credits_[credits->target] = *credits;
  if (const auto* change = std::get_if<PromiseRecord>(&record)) promises_[change->target] = *change;
  return true;
}

bool History::keep_run(const RunRecord& run) {
  std::deque<RunRecord>& kept = runs_[{run.target, run.probe}];
  const bool is_plain = !run.judgement && run.outcome == Outcome::ok;
  if (is_plain && !kept.empty() && run.ended - kept.back().ended < kApart) return false;
  while (!kept.empty() &&
         (kept.size() >= kMostRuns || run.ended - kept.front().ended > kRemembered))
    kept.pop_front();
  kept.push_back(run);
  return true;
}

void History::note_run(const RunRecord& run, const std::optional<LatestResult>& latest) {
  const bool is_worth_a_line = keep_run(run);
  if (latest) keep(*latest);
  if (!is_worth_a_line) return;
  append(run);
  if (latest) append(*latest);
}

void History::keep_and_append(const HistoryRecord& record) {
  if (keep(record)) append(record);
}

// What comes before the file was read, or after a failure, is in the next rewrite.
void History::append(const HistoryRecord& record) {
  if (!is_read_) return;
  const bool failed = file_.failure().has_value();
  if (failed ? now() - last_rewrite_ >= kTryAgain : appended_ >= kRewriteAfter) return rewrite();
  if (failed) return;
  file_.append(wire::encode(record));
  ++appended_;
}

std::vector<HistoryRecord> History::all() const {
  std::vector<HistoryRecord> records;
  append_all(credits_, records);
  append_all(promises_, records);
  for (const auto& [key, runs] : runs_) records.insert(records.end(), runs.begin(), runs.end());
  append_all(latest_, records);
  return records;
}

void History::rewrite() {
  std::vector<std::string> lines;
  for (const HistoryRecord& record : all()) lines.push_back(wire::encode(record));
  appended_ = 0;
  last_rewrite_ = now();
  file_.rewrite(std::move(lines));
}

void History::forget(const std::string& target) {
  const auto is_its = [&](const auto& entry) { return entry.first.first == target; };
  std::erase_if(runs_, is_its);
  std::erase_if(latest_, is_its);
  credits_.erase(target);
  promises_.erase(target);
}

const std::deque<RunRecord>* History::runs(const std::string& target,
                                           const std::string& probe) const {
  const auto found = runs_.find({target, probe});
  return found == runs_.end() ? nullptr : &found->second;
}

}  // namespace storage_probe::service
