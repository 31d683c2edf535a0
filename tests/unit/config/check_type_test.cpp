// SPDX-License-Identifier: Apache-2.0
#include "config/check_type.h"

#include <gtest/gtest.h>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

// What is noted of a target's volume, without its place.
Lines notes_of(const std::string& volume, const std::string& probes = "") {
  const Loaded loaded = parse(target_with("volume: {" + volume + "}" + probes), "c.yml");
  EXPECT_EQ(loaded.errors, Lines{});
  return loaded.notes;
}

TEST(NoteType, GuessesWhichTypeWasMeant) {
  EXPECT_EQ(notes_of("type: aws.gp33, iops: 3000"),
            Lines{"c.yml:4:20: targets[0].volume.type: the catalogue has no type \"aws.gp33\", did "
                  "you mean \"aws.gp3\"?"});
}

TEST(NoteType, LeavesAnOperatorsOwnTypeToHim) {
  EXPECT_EQ(notes_of("type: acme.fast"),
            Lines{"c.yml:4:20: targets[0].volume.type: the catalogue has no type \"acme.fast\": "
                  "only figures given here or in a promises file are known"});
}

TEST(NoteType, SaysNothingOfWhatTheCatalogueKnows) {
  EXPECT_EQ(notes_of("type: aws.gp3, iops: 80000, size: 1GiB"), Lines{});
  EXPECT_EQ(notes_of("type: custom, size: 1GiB"), Lines{});
}

TEST(NoteType, NamesItsDateWhereMoreIsSaidThanCanBeBought) {
  EXPECT_EQ(notes_of("type: aws.gp3, iops: 90000, throughput: 3000MiB/s"),
            (Lines{"c.yml:4:35: targets[0].volume.iops: 90k is more than the 80k that can be "
                   "bought of aws.gp3 as of 2025-12: taken as it is said",
                   "c.yml:4:54: targets[0].volume.throughput: 2.93 GiB/s is more than the 1.95 "
                   "GiB/s that can be bought of aws.gp3 as of 2025-12: taken as it is said"}));
}

TEST(NoteType, NamesSizesThatATypeDoesNotHave) {
  EXPECT_EQ(notes_of("type: aws.gp2, size: 20TiB"),
            Lines{"c.yml:4:35: targets[0].volume.size: 20TiB is no size of aws.gp2 as of 2023-06, "
                  "which has 1GiB to 16TiB: taken as it is said"});
}

TEST(NoteType, SaysWhichProbesAreLeftOut) {
  EXPECT_EQ(notes_of("type: aws.st1").size(), 1U);
  EXPECT_EQ(notes_of("type: aws.st1", "\nprobes: [{use: randread}]"), Lines{});
}

}  // namespace
}  // namespace storage_probe::config
