// SPDX-License-Identifier: Apache-2.0
#include "compliance/burst.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "compliance/judge.h"

namespace storage_probe::compliance {
namespace {

constexpr double kNearBaseline = 1.1;  // a run that brought no more was held to it
constexpr double kAboveBaseline = 1.2;

// What a second has cost: at least, if neighbouring I/Os were merged on their way, and at most.
struct Charge {
  double least = 0, most = 0;
};

double as_double(Bytes bytes) { return static_cast<double>(bytes.value); }
double as_double(Ops ops) { return static_cast<double>(ops.value); }

Charge charge_of(const Bucket& bucket, const DeviceSecond& second, Bytes io_cap) {
  const double reads = as_double(second.reads);
  const double writes = as_double(second.writes);
  const double read = as_double(second.bytes_read);
  const double written = as_double(second.bytes_written);
  if (bucket.unit == Bucket::Unit::ios) {
    double ios = reads + writes;
    if (io_cap.value > 0) ios = std::max(ios, std::ceil((read + written) / as_double(io_cap)));
    return {ios, ios};
  }
  const double each = as_double(bucket.least_charge);
  return {bucket.read_weight * read + written,
          bucket.read_weight * std::max(read, reads * each) + std::max(written, writes * each)};
}

// Whether anything but the volume may have kept the run's rate low.
bool was_held_back(const ProbeReport& report) { return !report.doubts.empty(); }

// The rate at the run's end over its mean: what the bucket held before that is no news.
double share_at_end(const Measurement& measured) {
  if (!measured.profile || !measured.profile->drop) return 1;
  const RateDrop& drop = *measured.profile->drop;
  const double head = to_seconds(drop.head) / std::max(to_seconds(measured.duration), 1e-9);
  const double mean = head * drop.head_iops + (1 - head) * drop.tail_iops;
  return mean > 0 ? drop.tail_iops / mean : 1;
}

bool tests(const ProbeSpec& spec, Bucket::Unit unit) {
  return (spec.pattern == Pattern::random) == (unit == Bucket::Unit::ios);
}

bool take_number(std::string_view& text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return true;
}

}  // namespace

Burst::Burst(const Terms& terms) : io_cap_(terms.io_cap) {
  for (const Bucket& bucket : terms.buckets)
    if (bucket.capacity > 0) buckets_.push_back({bucket, 0, bucket.capacity});
}

void Burst::add(const DeviceSecond& second) {
  for (Level& level : buckets_) {
    const Charge charge = charge_of(level.bucket, second, io_cap_);
    const double earned = level.bucket.baseline * to_seconds(second.length);
    level.low = std::clamp(level.low + earned - charge.most, 0.0, level.bucket.capacity);
    level.high = std::clamp(level.high + earned - charge.least, 0.0, level.bucket.capacity);
  }
}

void Burst::skip(Duration unseen) {
  const double seconds = to_seconds(unseen);
  for (Level& level : buckets_) {
    const double spent = std::max(level.bucket.burst - level.bucket.baseline, 0.0) * seconds;
    level.low = std::max(level.low - spent, 0.0);
    level.high = std::min(level.high + level.bucket.baseline * seconds, level.bucket.capacity);
  }
}

void Burst::note_run(const ProbeReport& report) {
  if (was_held_back(report) || report.outcome != Outcome::ok) return;
  Terms terms;
  terms.io_cap = io_cap_;
  const Achieved all = achieved(report, terms);
  const double end = share_at_end(report.measured);
  for (Level& level : buckets_) {
    const Bucket& bucket = level.bucket;
    if (!tests(report.spec, bucket.unit) || bucket.baseline <= 0) continue;
    const double rate = end * (bucket.unit == Bucket::Unit::ios ? all.iops : all.throughput);
    if (rate <= kNearBaseline * bucket.baseline) {
      level.low = level.high = 0;
    } else if (rate >= kAboveBaseline * bucket.baseline && level.high <= 0) {
      level.high = bucket.capacity;  // it holds something after all, and nobody knows how much
    }
  }
}

std::optional<Balance> Burst::balance() const {
  if (buckets_.empty()) return std::nullopt;
  Balance emptiest{1, 1};
  for (const Level& level : buckets_) {
    emptiest.low = std::min(emptiest.low, level.low / level.bucket.capacity);
    emptiest.high = std::min(emptiest.high, level.high / level.bucket.capacity);
  }
  return emptiest;
}

std::string Burst::save() const {
  std::string line;
  for (const Level& level : buckets_) {
    std::array<char, 100> text{};
    std::snprintf(text.data(), text.size(), "%s%.17g %.17g %.17g", line.empty() ? "" : " ",
                  level.bucket.capacity, level.low, level.high);
    line += text.data();
  }
  return line;
}

bool Burst::restore(const std::string& line) {
  std::vector<Level> levels = buckets_;
  std::string_view rest = line;
  for (Level& level : levels) {
    double capacity = 0;
    if (!take_number(rest, capacity) || !take_number(rest, level.low) ||
        !take_number(rest, level.high))
      return false;
    const bool makes_sense = capacity == level.bucket.capacity && level.low >= 0 &&
                             level.low <= level.high && level.high <= capacity;
    if (!makes_sense) return false;
  }
  if (!rest.empty() || levels.empty()) return false;
  buckets_ = std::move(levels);
  return true;
}

}  // namespace storage_probe::compliance
