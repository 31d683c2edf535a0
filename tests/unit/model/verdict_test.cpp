// SPDX-License-Identifier: Apache-2.0
#include "model/verdict.h"

#include <gtest/gtest.h>

namespace storage_probe {
namespace {

TEST(Verdict, TextsAreReadBack) {
  for (const Verdict verdict : {Verdict::compliant, Verdict::noncompliant, Verdict::inconclusive})
    EXPECT_EQ(parse_verdict(to_text(verdict)), verdict);
  for (const Reason reason : {Reason::ok, Reason::below_promise, Reason::unknown_promise})
    EXPECT_EQ(parse_reason(to_text(reason)), reason);
  EXPECT_EQ(parse_verdict("fine"), std::nullopt);
  EXPECT_EQ(parse_reason(""), std::nullopt);
}

TEST(Verdict, TheLargerRatioDecides) {
  Judgement judgement;
  EXPECT_EQ(judgement.ratio(), std::nullopt);
  judgement.throughput_ratio = 0.4;
  EXPECT_EQ(judgement.ratio(), 0.4);
  judgement.iops_ratio = 1.1;
  EXPECT_EQ(judgement.ratio(), 1.1);
}

}  // namespace
}  // namespace storage_probe
