// SPDX-License-Identifier: Apache-2.0
#include "http/gzip.h"

#include <gtest/gtest.h>

#include "base/hash.h"
#include "support/gunzip.h"

namespace storage_probe::http {
namespace {

std::optional<std::string> round_trip(const std::string& head, const std::string& tail) {
  const auto first = gzip_head(head);
  if (!first) return std::nullopt;
  const auto rest = gzip_tail(*first, tail);
  if (!rest) return std::nullopt;
  return test::gunzip(first->data + *rest);
}

TEST(Gzip, JoinsTwoPartsToOneMember) {
  EXPECT_EQ(round_trip("metrics\n", "more metrics\n"), "metrics\nmore metrics\n");
  EXPECT_EQ(round_trip("", "tail"), "tail");
  EXPECT_EQ(round_trip("head", ""), "head");
  EXPECT_EQ(round_trip("", ""), "");
}

TEST(Gzip, CarriesAnyText) {
  Random random(1);
  for (const std::size_t size : {1U, 100U, 65535U, 3'000'000U}) {
    std::string noise(size, '\0');
    for (char& c : noise) c = static_cast<char>(random.next());
    EXPECT_EQ(round_trip(noise, noise), noise + noise) << size;
  }
}

TEST(Gzip, GoesOnBehindTheSameHeadManyTimes) {
  const auto head = gzip_head(std::string(100'000, 'x'));
  ASSERT_TRUE(head);
  EXPECT_LT(head->data.size(), 2000U);
  for (const std::string tail : {"a", "bb"})
    EXPECT_EQ(test::gunzip(head->data + *gzip_tail(*head, tail)), std::string(100'000, 'x') + tail);
}

TEST(AcceptsGzip, ReadsTheHeader) {
  for (const char* header : {"gzip", "GZip", "deflate, gzip", "gzip;q=1.0, *;q=0.5", " gzip ", "*",
                             "x-gzip", "identity,gzip;q=0.001", "gzip ; q=0.5"})
    EXPECT_TRUE(accepts_gzip(header)) << header;
  for (const char* header : {"", "identity", "br", "gzip;q=0", "gzip; Q=0.000, *", "*;q=0",
                             "gzipped", ",,;;=", "deflate"})
    EXPECT_FALSE(accepts_gzip(header)) << header;
}

}  // namespace
}  // namespace storage_probe::http
