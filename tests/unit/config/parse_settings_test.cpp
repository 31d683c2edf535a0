// SPDX-License-Identifier: Apache-2.0
#include "config/parse_settings.h"

#include <gtest/gtest.h>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

TEST(ParseSettings, ReadsWhatHasAnEffect) {
  const Loaded loaded =
      parse("max_concurrent_capacity: 3\nmetrics: {histograms: all}\nprofile: full\n", "c.yml");
  EXPECT_EQ(loaded.errors, Lines{});
  EXPECT_EQ(loaded.config.max_concurrent_capacity, 3U);
  EXPECT_EQ(loaded.config.histograms, Histograms::all);
}

TEST(ParseSettings, ReadsTheLimitOfTheHost) {
  const Loaded loaded = parse("instance: {iops: 18750, throughput: 593.75MB/s}\n", "c.yml");
  EXPECT_EQ(loaded.config.instance.iops, 18750);
  EXPECT_EQ(loaded.config.instance.throughput, 593'750'000);
  EXPECT_EQ(loaded.notes, Lines{});
  EXPECT_FALSE(parse("", "c.yml").config.instance.known());
}

TEST(ParseSettings, FindsPromisesFilesBesideTheConfiguration) {
  const Loaded loaded = parse("promises: {files: [p.json, /srv/q.json]}\n", "etc/c.yml");
  EXPECT_EQ(loaded.errors, Lines{});
  EXPECT_EQ(loaded.notes, Lines{});
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(loaded.config.promise_files, (Paths{"etc/p.json", "/srv/q.json"}));
}

TEST(ParseSettings, ReadsWindows) {
  const Loaded loaded =
      parse("windows: {capacity: [\"22:00-05:00\"], quiet: [\"00:05-23:59\", \"09:30-10:00\"]}\n",
            "c.yml");
  EXPECT_EQ(loaded.errors, Lines{});
  EXPECT_EQ(loaded.notes, Lines{});
  using std::chrono::minutes;
  const Windows expected{{{minutes(1320), minutes(300)}},
                         {{minutes(5), minutes(1439)}, {minutes(570), minutes(600)}}};
  EXPECT_EQ(loaded.config.windows, expected);
}

TEST(ParseSettings, KnowsTheTimesOfADay) {
  const auto accepts = [](const std::string& window) {
    return errors_of("windows: {quiet: [\"" + window + "\"]}").empty();
  };
  for (const char* const good : {"00:00-00:01", "23:59-00:00", "09:30-17:00"})
    EXPECT_TRUE(accepts(good)) << good;
  for (const char* const bad : {"24:00-01:00", "01:60-02:00", "1:00-2:00", "01:00", "01:00-", "-",
                                "01:00-02:00-03:00", "aa:00-02:00", "01-02", "01:00 - 02:00"})
    EXPECT_FALSE(accepts(bad)) << bad;
}

}  // namespace
}  // namespace storage_probe::config
