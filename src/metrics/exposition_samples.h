// SPDX-License-Identifier: Apache-2.0
// How the exposition_*.cpp files write their metrics down: a table row is a name, a help text, a
// type and a function that adds the samples of one subject (a probe, a target, the exporter).
#pragma once

#include <prometheus/metric_family.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/units.h"
#include "model/snapshot.h"

namespace storage_probe::metrics {

using Family = prometheus::MetricFamily;
using Labels = std::vector<prometheus::ClientMetric::Label>;

// What all samples of a target or probe are labelled with: `first` stands before a sample's own
// labels, `last` (the operator's) behind them.
struct Subject {
  Labels first, last;
};

struct LabelView {
  const char* name;
  std::string_view value;
};

// Adds samples to a family. Lives for one call; the family and the subject must outlive it.
class Samples {
 public:
  Samples(Family& family, const Subject& subject) : family_(family), subject_(subject) {}

  // A value that is not finite is left out: what is not known has no sample.
  void add(double value, std::initializer_list<LabelView> labels = {});
  void add(std::optional<double> value, std::initializer_list<LabelView> labels = {});
  void add(std::uint64_t value, std::initializer_list<LabelView> labels = {});
  void add(WallTime time) { add(to_unix_seconds(time)); }
  void add(const std::optional<WallTime>& time) {
    if (time) add(*time);
  }
  void add(const CumulativeLatency& latency, std::initializer_list<LabelView> labels);

 private:
  prometheus::ClientMetric& append(std::initializer_list<LabelView> labels);

  Family& family_;
  const Subject& subject_;
};

constexpr auto kCounter = prometheus::MetricType::Counter;
constexpr auto kGauge = prometheus::MetricType::Gauge;
constexpr auto kHistogram = prometheus::MetricType::Histogram;

template <typename View>
struct Metric {
  const char* name;
  const char* help;
  prometheus::MetricType type;
  void (*emit)(const View& of, Samples& samples);
};

// The text of an exposition, written family by family: at hundreds of targets all families at once
// would be tens of megabytes.
class Page {
 public:
  explicit Page(Bytes expected) { text_.reserve(expected.value); }

  // A family without samples is left out.
  void add(Family family);
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

// One family a row of `table`, over all `views`; a view has a member `subject`.
template <typename Table, typename View>
void collect(const Table& table, const std::vector<View>& views, Page& page) {
  for (const Metric<View>& metric : table) {
    Family family{metric.name, metric.help, metric.type, {}};
    family.metric.reserve(views.size());
    for (const View& view : views) {
      Samples samples(family, view.subject);
      metric.emit(view, samples);
    }
    page.add(std::move(family));
  }
}

// The labels of a target, and of one of its probes.
Subject subject_of(const TargetStatus& target);
Subject subject_of(const TargetStatus& target, const ProbeStatus& probe);

// Whether a probe issues this operation: its counters are there, at 0, before it first does.
bool issues(const ProbeSpec& spec, Operation op);

// `text` with what is not UTF-8 replaced by U+FFFD: a scraper refuses the whole page otherwise.
std::string valid_utf8(std::string_view text);

void collect_probes(const Snapshot& snapshot, Page& page);
void collect_verdicts(const Snapshot& snapshot, Page& page);
void collect_targets(const Snapshot& snapshot, Page& page);
void collect_exporter(const Snapshot& snapshot, Page& page);

}  // namespace storage_probe::metrics
