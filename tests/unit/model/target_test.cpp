// SPDX-License-Identifier: Apache-2.0
#include "model/target.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace storage_probe {
namespace {

TEST(TargetState, IsReadBackFromItsText) {
  std::set<std::string_view> words;
  for (const TargetState state : kTargetStates) {
    EXPECT_EQ(parse_target_state(to_text(state)), state);
    words.insert(to_text(state));
  }
  EXPECT_EQ(words.size(), kTargetStates.size());
  EXPECT_EQ(kTargetStates.back(), TargetState::stuck);
  EXPECT_EQ(kTargetStates.size(), static_cast<std::size_t>(TargetState::stuck) + 1);
}

TEST(TargetState, RefusesOtherWords) {
  EXPECT_FALSE(parse_target_state(""));
  EXPECT_FALSE(parse_target_state("Ready"));
  EXPECT_FALSE(parse_target_state("ready "));
}

TEST(Expectation, IsEmptyWhenItComparesNothing) {
  EXPECT_TRUE(Expectation{}.empty());
  EXPECT_FALSE((Expectation{.fs_type = "ext4", .source = {}, .volume_id = {}}).empty());
}

}  // namespace
}  // namespace storage_probe
