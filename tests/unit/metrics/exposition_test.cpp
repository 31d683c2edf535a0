// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposition.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/hash.h"
#include "metrics/recorder.h"
#include "support/exposition_text.h"
#include "support/files.h"
#include "support/sample_status.h"
#include "support/temp_dir.h"

namespace storage_probe::metrics {
namespace {

using test::ExpositionText;
using test::kNoon;
using test::parse_exposition;

const std::string kGolden = std::string(TEST_DATA) + "/metrics.prom";

// Every metric there is: of the snapshot and the live ones.
std::string everything() {
  LiveStatus live{kNoon, std::chrono::milliseconds{3}, 2, {{{"metrics", 200}, 17}}};
  return render(test::sample_snapshot()) + render_live(live, "/proc");
}

TEST(Exposition, LooksAsItDid) {
  const std::string text = render(test::sample_snapshot());
  if (std::getenv("REGENERATE") != nullptr) test::write_file(kGolden, text);
  EXPECT_EQ(text, test::read_whole(kGolden)) << "if this is meant: REGENERATE=1 writes the file";
}

// promtool from $PROMTOOL, the PATH or build/tools; empty when there is none.
std::string promtool() {
  std::vector<std::string> candidates{std::string(PROJECT_ROOT) + "/build/tools/usr/bin/promtool"};
  if (const char* given = std::getenv("PROMTOOL")) candidates.insert(candidates.begin(), given);
  std::istringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string directory; std::getline(path, directory, ':');)
    candidates.push_back(directory + "/promtool");
  for (const std::string& candidate : candidates)
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
  return {};
}

TEST(Exposition, LeavesPromtoolSilent) {
  const std::string tool = promtool();
  if (tool.empty()) GTEST_SKIP() << "no promtool in $PROMTOOL, the PATH or build/tools";
  const test::TempDir directory;
  const auto text = test::write_file(directory / "metrics", everything());
  const std::string said = (directory / "said").string();
  const int status =
      std::system((tool + " check metrics <" + text.string() + " >" + said + " 2>&1").c_str());
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(test::read_whole(said), "");
}

TEST(Exposition, HasNoValueThatIsNotANumber) {
  Snapshot snapshot = test::sample_snapshot();
  snapshot.targets[0].probes[1].result->other_iops = std::nan("");
  snapshot.targets[0].probes[1].result->other_throughput = HUGE_VAL;
  for (const auto& [sample, value] : parse_exposition(render(snapshot)).samples)
    EXPECT_TRUE(std::isfinite(value)) << sample;
}

TEST(Exposition, LabelsEverySeriesOfATargetWithTheTargetsOwn) {
  for (const auto& [sample, value] : parse_exposition(render(test::sample_snapshot())).samples) {
    if (sample.find("{target=\"mysql-data\"") == std::string::npos) continue;
    EXPECT_NE(sample.find("team=\"databases\""), std::string::npos) << sample;
  }
}

TEST(Exposition, IsTheSameForTheSameSnapshot) {
  EXPECT_EQ(render(test::sample_snapshot()), render(test::sample_snapshot()));
}

TEST(Exposition, OfNoTargetsHasNoneOfTheirSeries) {
  EXPECT_EQ(render(Snapshot()).find("target"), std::string::npos);
}

// Rows of the reference: | `name` | type | labels | meaning |
std::map<std::string, std::pair<std::string, std::set<std::string>>> documented() {
  std::map<std::string, std::pair<std::string, std::set<std::string>>> rows;
  std::istringstream lines(test::read_whole(std::string(PROJECT_ROOT) + "/docs/metrics.md"));
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("| `storage_probe_", 0) != 0 && line.rfind("| `process_", 0) != 0) continue;
    std::istringstream cells(line);
    std::string ignored, name, type, labels;
    std::getline(cells, ignored, '|');
    std::getline(cells, name, '|');
    std::getline(cells, type, '|');
    std::getline(cells, labels, '|');
    std::istringstream words(labels);
    std::set<std::string> names;
    for (std::string word; words >> word;) names.insert(word);
    rows[name.substr(2, name.size() - 4)] = {type.substr(1, type.size() - 2), names};
  }
  return rows;
}

TEST(Exposition, IsWhatTheReferenceSays) {
  const ExpositionText text = parse_exposition(everything());
  auto rows = documented();
  for (const auto& [name, type] : text.types) {
    std::set<std::string> labels = text.labels.at(name);
    for (const char* not_the_metrics : {"note", "team", "le"}) labels.erase(not_the_metrics);
    ASSERT_EQ(rows.count(name), 1U) << name << " is not in docs/metrics.md";
    EXPECT_EQ(rows[name].first, type) << name;
    EXPECT_EQ(rows[name].second, labels) << name;
    rows.erase(name);
  }
  for (const auto& [name, row] : rows) ADD_FAILURE() << name << " is documented but not exported";
}

// A host with `count` targets and the default probes, all of them run.
Snapshot host_with(std::size_t count) {
  std::vector<Target> targets;
  for (std::size_t i = 0; i < count; ++i) {
    targets.push_back(
        test::sample_target("data" + std::to_string(i), {"latency", "randread", "seqread"}));
    targets.back().volume.promise.iops = 3000;
    targets.back().volume.promise.throughput = 125e6;
  }
  Recorder recorder;
  recorder.configure(targets);
  for (const Target& target : targets) {
    recorder.record(test::finished_report(target, "latency", 200, kNoon));
    recorder.record(test::finished_report(target, "randread", 6000, kNoon));
    recorder.record(test::finished_report(target, "seqread", 200, kNoon));
    const Judgement good{Verdict::compliant, Reason::ok, 1.0, 1.0, ""};
    for (const char* probe : {"randread", "seqread"})
      recorder.judged(target.name, probe, good, Evidence::probe, kNoon);
    TargetStatus& status = *recorder.find(target.name);
    status.budget_limit = {std::chrono::seconds{864}, kGiB, {4'000'000}};
    for (ProbeStatus& probe : status.probes) {
      probe.next_run = kNoon;
      if (probe.spec.kind == Kind::latency)
        probe.baseline_latency.emplace();
      else
        probe.verdict.baseline_iops.emplace();
    }
  }
  Snapshot snapshot;
  snapshot.taken = kNoon;
  snapshot.targets = recorder.statuses(kNoon);
  return snapshot;
}

// What a host costs a Prometheus server. Each target's latency histogram is 23 buckets of that,
// which `metrics.histograms: none` saves.
TEST(Exposition, StaysBelowItsNumberOfSeries) {
  std::size_t series = 0;
  std::size_t buckets = 0;
  for (const auto& [sample, value] :
       parse_exposition(render(host_with(5)) + render_live({}, "/proc")).samples) {
    ++series;
    if (sample.find("_bucket{") != std::string::npos) ++buckets;
  }
  EXPECT_EQ(buckets, 5 * (kHistogramLimits.size() + 1));
  EXPECT_LE(series - buckets, 600U);
  EXPECT_LE(series, 715U);
}

// A random run of one of the target's probes.
ProbeReport random_report(const Target& target, Random& random, WallTime ended) {
  const std::string probe = target.probes[random.below(target.probes.size())].spec.name;
  ProbeReport report = test::finished_report(target, probe, random.below(300), ended);
  report.outcome = static_cast<Outcome>(random.below(4));
  report.layout[Operation::write] = {{}, {random.below(1000)}, {random.below(9)}};
  report.measured.errors = {{"EIO", random.below(3)}};
  report.measured.retries = random.below(3);
  report.identity = test::sample_identity("vol-" + std::to_string(random.below(3)));
  return report;
}

std::map<std::string, double> counters(const Snapshot& snapshot) {
  const ExpositionText text = parse_exposition(render(snapshot));
  std::map<std::string, double> found;
  for (const auto& [sample, value] : text.samples)
    if (text.types.at(text.family_of(sample)) != "gauge") found[sample] = value;
  return found;
}

// Random reports, skips, and reloads that change nothing.
TEST(Exposition, NeverLetsACounterFallOrVanish) {
  const std::vector<Target> targets{
      test::sample_target("a", {"latency", "randrw"}),
      test::sample_target("b", {"latency-write", "seqread", "seqwrite"})};
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    Recorder recorder;
    recorder.configure(targets);
    Snapshot snapshot;
    snapshot.histograms_for_capacity = true;
    std::map<std::string, double> last;
    for (int step = 0; step < 30; ++step) {
      snapshot.taken = kNoon + step * std::chrono::minutes{20};
      const ProbeReport report =
          random_report(targets[random.below(targets.size())], random, snapshot.taken);
      recorder.record(report);
      recorder.skipped(report.target, report.spec.name, random.below(2) == 0 ? "busy" : "budget");
      if (random.below(8) == 0) recorder.configure(targets);
      snapshot.targets = recorder.statuses(snapshot.taken);
      const auto now = counters(snapshot);
      for (const auto& [sample, value] : last) {
        ASSERT_EQ(now.count(sample), 1U) << sample << " vanished, seed " << seed;
        ASSERT_GE(now.at(sample), value) << sample << " fell, seed " << seed;
      }
      last = now;
    }
  }
}

TEST(CachedExposition, KeepsTheTextOfASnapshot) {
  CachedExposition cached;
  const auto snapshot = std::make_shared<const Snapshot>(test::sample_snapshot());
  const auto first = cached.text(snapshot);
  EXPECT_EQ(*first, render(*snapshot));
  EXPECT_EQ(cached.text(snapshot), first);
}

TEST(CachedExposition, MakesItAnewForTheNextSnapshot) {
  CachedExposition cached;
  const auto first = cached.text(std::make_shared<const Snapshot>());
  const auto second = cached.text(std::make_shared<const Snapshot>(test::sample_snapshot()));
  EXPECT_NE(*first, *second);
}

TEST(CachedExposition, IsEmptyBeforeThereIsASnapshot) {
  CachedExposition cached;
  EXPECT_EQ(*cached.text(nullptr), "");
}

}  // namespace
}  // namespace storage_probe::metrics
