// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/record_file.h"
#include "base/units.h"
#include "model/history.h"
#include "service/event_loop.h"

namespace storage_probe::service {

// What was measured in the last day, in a file of the state directory, so that a daemon that starts
// anew neither repeats a probe nor forgets what is usual here. Bounded: of each probe at most a
// hundred runs, those of latency probes a quarter of an hour apart. It is of use and not needed: a
// disk that is full or hangs costs a log line and what was not written. Owned by Runs, on the
// loop's thread, which never waits for the disk.
class History {
 public:
  using OnRead = std::function<void(const std::vector<HistoryRecord>&)>;

  // `on_read` is called once, with what was kept, as soon as it has been read. The loop and the
  // logger must outlive it.
  static Result<std::unique_ptr<History>> open(EventLoop& loop,
                                               const std::filesystem::path& storage_path,
                                               Logger& logger, OnRead on_read);

  // A run, and its result as it is shown where it has one.
  void note_run(const RunRecord& run, const std::optional<LatestResult>& latest);
  void note(const CreditsRecord& credits) { keep_and_append(credits); }
  void note(const PromiseRecord& change) { keep_and_append(change); }
  void forget(const std::string& target);  // it is no longer configured

  // The runs of a probe that are kept, the oldest first; null for none.
  const std::deque<RunRecord>* runs(const std::string& target, const std::string& probe) const;

  // Whether what was kept is known, or will not be: probes wait for it.
  bool is_settled() const;

 private:
  using Key = std::pair<std::string, std::string>;  // target, probe

  History(RecordFile file, Logger& logger, OnRead on_read);
  void on_event();
  void take_over(const RecordFile::Contents& contents);
  bool keep(const HistoryRecord& record);
  bool keep_run(const RunRecord& run);
  void keep_and_append(const HistoryRecord& record);
  void append(const HistoryRecord& record);
  std::vector<HistoryRecord> all() const;
  void rewrite();

  RecordFile file_;
  Logger& logger_;
  OnRead on_read_;
  EventLoop::Source source_;
  std::map<Key, std::deque<RunRecord>> runs_;
  std::map<Key, LatestResult> latest_;
  std::map<std::string, CreditsRecord> credits_;  // by target
  std::map<std::string, PromiseRecord> promises_;
  bool is_read_ = false;
  bool has_complained_ = false;
  SteadyTime opened_;
  SteadyTime last_rewrite_;
  unsigned appended_ = 0;  // since the last rewrite
};

}  // namespace storage_probe::service
