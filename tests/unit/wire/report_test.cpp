// SPDX-License-Identifier: Apache-2.0
#include "wire/report.h"

#include <gtest/gtest.h>

#include <limits>

#include "unit/wire/samples.h"

namespace storage_probe::wire {
namespace {

ProbeReport sent_and_received(const ProbeReport& report) {
  auto line = decode_line(encode(report));
  if (!line) ADD_FAILURE() << line.error().message;
  return std::get<ProbeReport>(*line);
}

void expect_same(const OperationStats& a, const OperationStats& b) {
  EXPECT_EQ(a.ios, b.ios);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.latency.to_sparse(), b.latency.to_sparse());
  EXPECT_EQ(a.latency.sum_seconds(), b.latency.sum_seconds());
  EXPECT_EQ(a.latency.stddev_seconds(), b.latency.stddev_seconds());
  EXPECT_EQ(a.latency.min(), b.latency.min());
  EXPECT_EQ(a.latency.max(), b.latency.max());
}

TEST(WireReport, KeepsWhatRan) {
  const ProbeReport a = test::full_report();
  const ProbeReport b = sent_and_received(a);
  EXPECT_EQ(a.target, b.target);
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.spec, b.spec);
  EXPECT_EQ(a.outcome, b.outcome);
  EXPECT_EQ(a.state, b.state);
  EXPECT_EQ(a.failure->code, b.failure->code);
  EXPECT_EQ(a.failure->message, b.failure->message);
  EXPECT_EQ(a.deferral, b.deferral);
  EXPECT_EQ(a.started, b.started);
  EXPECT_EQ(a.ended, b.ended);
  EXPECT_EQ(a.engine, b.engine);
  EXPECT_EQ(a.engine_note, b.engine_note);
  EXPECT_EQ(a.direct_io, b.direct_io);
  EXPECT_EQ(a.file_bytes, b.file_bytes);
}

TEST(WireReport, KeepsWhatWasCleaned) {
  const auto line = decode_line(encode(Cleaned{"/data/x.dat", "probe file", true}));
  ASSERT_TRUE(line);
  const auto& cleaned = std::get<Cleaned>(*line);
  EXPECT_EQ(cleaned.path, "/data/x.dat");
  EXPECT_EQ(cleaned.what, "probe file");
  EXPECT_TRUE(cleaned.is_removed);
}

TEST(WireReport, KeepsWhatWasMeasured) {
  const ProbeReport a = test::full_report();
  const ProbeReport b = sent_and_received(a);
  for (const Operation operation : kOperations) {
    expect_same(a.measured.operations[operation], b.measured.operations[operation]);
    EXPECT_EQ(a.measured.used[operation], b.measured.used[operation]);
    EXPECT_EQ(a.layout[operation], b.layout[operation]);
  }
  EXPECT_EQ(a.measured.duration, b.measured.duration);
  EXPECT_EQ(a.measured.stopped_by, b.measured.stopped_by);
  EXPECT_EQ(a.measured.cpu_user, b.measured.cpu_user);
  EXPECT_EQ(a.measured.cpu_system, b.measured.cpu_system);
  EXPECT_EQ(a.measured.elapsed, b.measured.elapsed);
  EXPECT_EQ(a.measured.retries, b.measured.retries);
  EXPECT_EQ(a.measured.short_ios, b.measured.short_ios);
  EXPECT_EQ(a.measured.errors, b.measured.errors);
  EXPECT_EQ(a.layout_elapsed, b.layout_elapsed);
}

TEST(WireReport, KeepsWhereItRan) {
  const ProbeReport a = test::full_report();
  const ProbeReport b = sent_and_received(a);
  EXPECT_EQ(a.identity, b.identity);
  EXPECT_EQ(a.device->name, b.device->name);
  EXPECT_EQ(a.device->ios, b.device->ios);
  EXPECT_EQ(a.device->bytes, b.device->bytes);
  EXPECT_EQ(a.device->other_iops, b.device->other_iops);
  EXPECT_EQ(a.device->other_throughput, b.device->other_throughput);
}

TEST(WireReport, KeepsAbsenceAbsent) {
  const ProbeReport b = sent_and_received({});
  EXPECT_FALSE(b.failure);
  EXPECT_FALSE(b.device);
  EXPECT_FALSE(b.spec.queue_depth);
  EXPECT_EQ(b.measured.operations[Operation::read].latency.count(), 0U);
}

TEST(WireReport, TheFullestReportFitsALine) {
  ProbeReport report = test::full_report();
  report.path = std::string(4096, '\xff');
  LatencyHistogram fullest;
  for (std::size_t i = 0; i < LatencyHistogram::kBuckets; ++i) {
    const std::size_t shift = i < 128 ? 0 : i / 64 - 1;
    fullest.record(Duration((i < 128 ? i : 64 + i % 64) << shift), 1'000'000'000'000);
  }
  for (OperationStats& stats : report.measured.operations.values) stats.latency = fullest;
  ASSERT_EQ(fullest.to_sparse().size(), LatencyHistogram::kBuckets);
  EXPECT_LT(encode(report).size(), kMaxLine.value);
  sent_and_received(report);
}

TEST(WireReport, IsOneLine) {
  const std::string line = encode(test::full_report());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
}

TEST(WireReport, CannotCarryWhatIsNoNumber) {
  ProbeReport report = test::full_report();
  report.device->other_iops = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(decode_line(encode(report)));
}

TEST(WireProgress, ArrivesAsItWasSent) {
  const auto line = decode_line(encode(Progress{Phase::layout, 0.25, test::seconds{3}, 1234.5}));
  ASSERT_TRUE(line) << line.error().message;
  const auto& progress = std::get<Progress>(*line);
  EXPECT_EQ(progress.phase, Phase::layout);
  EXPECT_EQ(progress.done, 0.25);
  EXPECT_EQ(progress.elapsed, test::seconds{3});
  EXPECT_EQ(progress.iops, 1234.5);
}

TEST(WireLine, RefusesGarbage) {
  const std::string progress = encode(Progress{});
  const std::string hostile[] = {
      "",
      "{}",
      "garbage",
      std::string(100'000, '['),
      progress + progress,
      R"({"progress": 1})",
      R"({"report": {}})",
      R"({"progress": {"phase": 9, "done": 0, "elapsed": 0, "iops": 0}})",
      std::string("\0\0", 2),
      "\xff\xfe"};
  for (const std::string& line : hostile) EXPECT_FALSE(decode_line(line)) << line.substr(0, 80);
}

TEST(WireLine, RefusesAReportCutAnywhere) {
  const std::string line = encode(test::full_report());
  for (std::size_t length = 0; length + 1 < line.size(); length += 11) {
    EXPECT_FALSE(decode_line(line.substr(0, length)));
  }
}

TEST(WireLine, RefusesAHistogramThatNoneCanBe) {
  std::string line = encode(test::full_report());
  const auto buckets = line.find("\"buckets\":[") + 11;
  EXPECT_FALSE(decode_line(std::string(line).insert(buckets, "1,")));
  EXPECT_FALSE(decode_line(std::string(line).insert(buckets, "99999999999,1,")));
}

TEST(WireLine, RefusesAnEndlessOne) {
  EXPECT_EQ(decode_line(std::string(kMaxLine.value + 1, ' ')).error().code, Errc::exhausted);
}

}  // namespace
}  // namespace storage_probe::wire
