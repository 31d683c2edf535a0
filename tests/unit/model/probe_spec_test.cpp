// SPDX-License-Identifier: Apache-2.0
#include "model/probe_spec.h"

#include <gtest/gtest.h>

namespace storage_probe {
namespace {

using namespace std::chrono_literals;

TEST(Presets, AreFoundByEachOfTheirNames) {
  for (const std::string_view name : preset_names()) {
    const ProbeSpec* const preset = find_preset(name);
    ASSERT_NE(preset, nullptr) << name;
    EXPECT_EQ(preset->name, name);
  }
  EXPECT_EQ(find_preset("read"), nullptr);
  EXPECT_EQ(find_preset(""), nullptr);
}

TEST(Presets, OfLatencyAreLimitedByTimeAlone) {
  for (const std::string_view name : {"latency", "latency-write"}) {
    const ProbeSpec& preset = *find_preset(name);
    EXPECT_EQ(preset.kind, Kind::latency);
    EXPECT_EQ(preset.rate, 20);
    EXPECT_EQ(preset.limits, (Usage{10s, Bytes{}, Ops{}}));
  }
  EXPECT_FALSE(find_preset("latency")->writes());
  EXPECT_TRUE(find_preset("latency-write")->writes());
}

TEST(Presets, OfCapacityHaveEveryLimit) {
  for (const std::string_view name : {"randread", "randwrite", "randrw", "seqread", "seqwrite"}) {
    const ProbeSpec& preset = *find_preset(name);
    EXPECT_EQ(preset.kind, Kind::capacity);
    EXPECT_EQ(preset.limits, (Usage{2s, Bytes{256 * kMiB.value}, Ops{50'000}}));
  }
}

TEST(Presets, AreFioWorkloads) {
  EXPECT_EQ(find_preset("randread")->block_size, Bytes{4096});
  EXPECT_FALSE(find_preset("randread")->queue_depth);
  EXPECT_EQ(find_preset("randrw")->read_percent, 75U);
  EXPECT_EQ(find_preset("randwrite")->read_percent, 0U);
  EXPECT_EQ(find_preset("seqread")->pattern, Pattern::sequential);
  EXPECT_EQ(find_preset("seqread")->block_size, Bytes{256 * kKiB.value});
  EXPECT_EQ(find_preset("seqwrite")->queue_depth, 4U);
}

TEST(Words, AreTheConfigurations) {
  EXPECT_EQ(to_text(Operation::fsync), "fsync");
  EXPECT_EQ(to_text(Pattern::sequential), "sequential");
  EXPECT_EQ(to_text(Kind::capacity), "capacity");
  EXPECT_EQ(to_text(Engine::automatic), "auto");
  EXPECT_EQ(to_text(Engine::io_uring), "io_uring");
}

TEST(Usage, AddsUp) {
  EXPECT_EQ((Usage{1s, Bytes{2}, Ops{3}} + Usage{4s, Bytes{5}, Ops{6}}),
            (Usage{5s, Bytes{7}, Ops{9}}));
}

}  // namespace
}  // namespace storage_probe
