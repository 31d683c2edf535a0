// SPDX-License-Identifier: Apache-2.0
#include "metrics/exposition_samples.h"

#include <gtest/gtest.h>

#include <cmath>

namespace storage_probe::metrics {
namespace {

TEST(ValidUtf8, KeepsWhatIsValid) {
  for (const char* text :
       {"", "plain", "räk", "日本", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf", "\n\\\""})
    EXPECT_EQ(valid_utf8(text), text);
}

TEST(ValidUtf8, ReplacesEachByteThatIsNot) {
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(valid_utf8("a\xff"
                       "b"),
            "a" + bad + "b");
  EXPECT_EQ(valid_utf8("\xc3"), bad);                                // cut off
  EXPECT_EQ(valid_utf8("\xc0\xaf"), bad + bad);                      // overlong
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), bad + bad + bad);            // a surrogate
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), bad + bad + bad + bad);  // above U+10FFFF
}

TEST(Samples, PutsTheTargetFirstAndTheOperatorsLabelsLast) {
  TargetStatus target;
  target.name = "db";
  target.labels = {{"team", "x"}};
  ProbeStatus probe;
  probe.spec.name = "randread";
  const Subject subject = subject_of(target, probe);
  Family family{"m", "Help.", kGauge, {}};
  Samples(family, subject).add(1.5, {{"op", "read"}});
  Page page(Bytes{0});
  page.add(family);
  page.add({"empty", "Help.", kGauge, {}});
  EXPECT_EQ(page.take(),
            "# HELP m Help.\n# TYPE m gauge\n"
            "m{target=\"db\",probe=\"randread\",op=\"read\",team=\"x\"} 1.5\n");
}

TEST(Samples, LeavesOutWhatIsNotFinite) {
  const Subject subject;
  Family family{"m", "Help.", kGauge, {}};
  Samples samples(family, subject);
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) samples.add(value);
  samples.add(std::optional<double>());
  EXPECT_TRUE(family.metric.empty());
}

TEST(Samples, AddsBucketsUp) {
  const Subject subject;
  CumulativeLatency latency;
  latency.counts[0] = 2;
  latency.counts[3] = 5;
  latency.counts.back() = 1;
  Family family{"m", "Help.", kHistogram, {}};
  Samples(family, subject).add(latency, {});
  const auto& histogram = family.metric.at(0).histogram;
  EXPECT_EQ(histogram.bucket[0].cumulative_count, 2U);
  EXPECT_EQ(histogram.bucket[2].cumulative_count, 2U);
  EXPECT_EQ(histogram.bucket.back().cumulative_count, 7U);
  EXPECT_EQ(histogram.sample_count, 8U);
}

}  // namespace
}  // namespace storage_probe::metrics
