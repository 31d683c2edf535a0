// SPDX-License-Identifier: Apache-2.0
#include "model/terms.h"

#include <gtest/gtest.h>

namespace storage_probe {
namespace {

TEST(Terms, TheSmallerOfVolumeAndInstanceIsThePromise) {
  Terms terms;
  terms.volume.iops = 16'000;
  terms.volume.throughput = 125e6;
  terms.volume.from = "config";
  terms.instance.iops = 3'600;
  terms.instance.throughput = 593e6;
  EXPECT_EQ(terms.promise().iops, 3'600);
  EXPECT_EQ(terms.promise().throughput, 125e6);
  EXPECT_EQ(terms.promise().from, "config");
}

TEST(Terms, AnInstanceAlonePromisesNothing) {
  Terms terms;
  terms.instance.iops = 3'600;
  EXPECT_FALSE(terms.promise().known());
}

TEST(Terms, ReadsAndWritesPromisedApartAreEachBounded) {
  Terms terms;
  terms.volume.read_iops = 9'000;
  terms.volume.write_iops = 2'000;
  terms.instance.iops = 5'000;
  EXPECT_EQ(terms.promise().read_iops, 5'000);
  EXPECT_EQ(terms.promise().write_iops, 2'000);
}

}  // namespace
}  // namespace storage_probe
