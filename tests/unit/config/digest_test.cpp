// SPDX-License-Identifier: Apache-2.0
#include "config/digest.h"

#include <gtest/gtest.h>

#include <vector>

namespace storage_probe::config {
namespace {

using Texts = std::vector<std::string>;

TEST(Digest, IsThatOfTheTextsOneAfterTheOther) {
  EXPECT_EQ(sha256(Texts{}), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256(Texts{"abc"}),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256(Texts{"a", "bc"}), sha256(Texts{"abc"}));
}

}  // namespace
}  // namespace storage_probe::config
