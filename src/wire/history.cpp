// SPDX-License-Identifier: Apache-2.0
#include "wire/history.h"

#include "wire/archive.h"
#include "wire/fields.h"

namespace storage_probe::wire {

template <>
inline constexpr Outcome kLast<Outcome> = Outcome::stuck;
template <>
inline constexpr Evidence kLast<Evidence> = Evidence::passive;

// Verdicts and doubts by their words: the file outlives the order of the enumerators.
template <typename Archive, typename Word, typename Parse>
void word(Archive& archive, const char* key, Word& value, Parse parse) {
  std::string text(to_text(value));
  archive(key, text);
  if constexpr (Archive::kReads) {
    if (const auto parsed = parse(text)) {
      value = *parsed;
    } else {
      archive.fail(std::string(key) + ": no such word");
    }
  }
}

template <typename Archive>
void fields(Archive& archive, Judgement& judgement) {
  word(archive, "verdict", judgement.verdict, parse_verdict);
  word(archive, "reason", judgement.reason, parse_reason);
  archive("iops_ratio", judgement.iops_ratio);
  archive("throughput_ratio", judgement.throughput_ratio);
  archive("detail", judgement.detail);
}

template <typename Archive>
void fields(Archive& archive, RunRecord& run) {
  archive("ended", run.ended);
  archive("target", run.target);
  archive("probe", run.probe);
  archive("volume_id", run.volume_id);
  archive("engine", run.engine);
  archive("kernel", run.kernel);
  archive("outcome", run.outcome);
  archive("evidence", run.evidence);
  archive("iops", run.iops);
  archive("throughput", run.throughput);
  archive("latency", run.latency);
  archive("judgement", run.judgement);
}

namespace {

struct NamedLatency {
  std::string percentile;
  Duration latency{};
};

}  // namespace

template <typename Archive>
void fields(Archive& archive, NamedLatency& named) {
  archive("percentile", named.percentile);
  archive("latency", named.latency);
}

template <typename Archive>
void fields(Archive& archive, OperationResult& result) {
  std::vector<NamedLatency> percentiles;
  for (const auto& [percentile, latency] : result.percentiles)
    percentiles.push_back({percentile, latency});
  archive("ios", result.ios);
  archive("iops", result.iops);
  archive("throughput", result.throughput);
  archive("percentiles", percentiles);
  archive("max", result.max);
  if constexpr (Archive::kReads) {
    result.percentiles.clear();
    for (const NamedLatency& each : percentiles)
      result.percentiles.emplace_back(each.percentile, each.latency);
  }
}

template <typename Archive>
void fields(Archive& archive, RunResult& result) {
  archive("ended", result.ended);
  archive("duration", result.duration);
  archive("engine", result.engine);
  archive("queue_depth", result.queue_depth);
  archive("read", result.operations[Operation::read]);
  archive("write", result.operations[Operation::write]);
  archive("fsync", result.operations[Operation::fsync]);
  archive("effective_queue_depth", result.effective_queue_depth);
  archive("other_iops", result.other_iops);
  archive("other_throughput", result.other_throughput);
  archive("promise", result.promise);
}

template <typename Archive>
void fields(Archive& archive, LatestResult& latest) {
  archive("target", latest.target);
  archive("probe", latest.probe);
  archive("result", latest.result);
  archive("verdict", latest.verdict);
  archive("verdict_since", latest.verdict_since);
  archive("compliant", latest.compliant);
  archive("last_judged", latest.last_judged);
}

template <typename Archive>
void fields(Archive& archive, CreditsRecord& credits) {
  archive("target", credits.target);
  archive("volume_id", credits.volume_id);
  archive("when", credits.when);
  archive("levels", credits.levels);
}

template <typename Archive>
void fields(Archive& archive, PromiseRecord& change) {
  archive("target", change.target);
  archive("volume_id", change.volume_id);
  archive("since", change.since);
  archive("before", change.before);
  archive("now", change.now);
}

namespace {

// Exactly one of them is there.
struct Line {
  std::optional<RunRecord> run;
  std::optional<LatestResult> latest;
  std::optional<CreditsRecord> credits;
  std::optional<PromiseRecord> promise;
};

Line line_of(const HistoryRecord& record) {
  Line line;
  if (const auto* run = std::get_if<RunRecord>(&record)) line.run = *run;
  if (const auto* latest = std::get_if<LatestResult>(&record)) line.latest = *latest;
  if (const auto* credits = std::get_if<CreditsRecord>(&record)) line.credits = *credits;
  if (const auto* promise = std::get_if<PromiseRecord>(&record)) line.promise = *promise;
  return line;
}

}  // namespace

template <typename Archive>
void fields(Archive& archive, Line& line) {
  archive("run", line.run);
  archive("latest", line.latest);
  archive("credits", line.credits);
  archive("promise", line.promise);
}

std::string encode(const HistoryRecord& record) {
  Line line = line_of(record);
  return Writer::to_json(line).dump();
}

Result<HistoryRecord> decode_history(std::string_view text) {
  const auto json = parse_json(text);
  if (!json) return Unexpected(Error{Errc::invalid, "history: not JSON"});
  Line line;
  if (auto read = Reader::from_json(*json, line); !read)
    return Unexpected(read.error().in("history"));
  if (json->size() != 1)
    return Unexpected(Error{Errc::invalid, "history: a line is one record, this is none or more"});
  if (line.run) return HistoryRecord(*std::move(line.run));
  if (line.latest) return HistoryRecord(*std::move(line.latest));
  if (line.credits) return HistoryRecord(*std::move(line.credits));
  return HistoryRecord(*std::move(line.promise));
}

}  // namespace storage_probe::wire
