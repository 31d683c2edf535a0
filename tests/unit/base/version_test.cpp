// SPDX-License-Identifier: Apache-2.0
#include "base/version.h"

#include <gtest/gtest.h>

namespace storage_probe {
namespace {

TEST(Version, SaysWhatThisWasBuiltFrom) {
  EXPECT_NE(version().find('.'), std::string_view::npos);
  EXPECT_FALSE(revision().empty());
  EXPECT_FALSE(compiler().empty());
}

}  // namespace
}  // namespace storage_probe
