// SPDX-License-Identifier: Apache-2.0
#include "config/auto_targets.h"

#include <gtest/gtest.h>

#include "unit/config/support.h"

namespace storage_probe::config {
namespace {

MountIdentity mount(const std::string& mountpoint, const std::string& device,
                    const std::string& fs_type = "ext4") {
  MountIdentity identity;
  identity.mountpoint = mountpoint;
  identity.fs_type = fs_type;
  identity.source = "/dev/" + device;
  identity.device = device;
  identity.devices = {{device, "8:" + device, "", true, kGiB}};
  return identity;
}

Config rules(const std::string& entries, const std::string& targets = "") {
  const Loaded loaded = parse("auto:\n" + entries + targets, "c.yml");
  EXPECT_EQ(loaded.errors, Lines{});
  return loaded.config;
}

std::string paths(const Config& config) {
  std::string text;
  for (const Target& target : config.targets)
    text += (text.empty() ? "" : " ") + target.name + "=" +
            (target.path.empty() ? target.device : target.path).string();
  return text;
}

const std::string kAnyData = "  - {match: {mountpoint: \"/data/*\"}, name: \"{basename}\"}\n";

TEST(AutoTargets, AreMadeOfMountsThatMatch) {
  const Config config = rules(kAnyData);
  const std::vector<MountIdentity> mounts{mount("/data/b", "sdb"), mount("/", "sda"),
                                          mount("/data/a/x", "sdd"), mount("/data/a", "sdc")};
  const Config expanded = expand(config, mounts);
  EXPECT_EQ(paths(expanded), "a=/data/a b=/data/b");
  EXPECT_EQ(expanded.targets[0].probes, config.auto_rules[0].target.probes);
  EXPECT_EQ(expanded.auto_rules, config.auto_rules);
}

TEST(AutoTargets, GoWhenTheirMountDoes) {
  const Config config = rules(kAnyData);
  const std::vector<MountIdentity> mounts{mount("/data/b", "sdb")};
  EXPECT_EQ(paths(expand(config, mounts)), "b=/data/b");
  EXPECT_EQ(paths(expand(config, {})), "");
}

TEST(AutoTargets, MatchOnAllThatIsSet) {
  const Config config = rules(
      "  - {match: {fstype: [xfs, ext4], provider: aws, volume_type: aws.gp3}, name: "
      "\"{device}\"}\n");
  std::vector<MountIdentity> mounts{mount("/a", "sda"), mount("/b", "sdb", "xfs"),
                                    mount("/c", "sdc", "btrfs"), mount("/d", "sdd")};
  for (MountIdentity& each : mounts) each.provider = "aws", each.volume_type = "aws.gp3";
  mounts[0].provider = "gcp";
  mounts[3].volume_type.clear();
  EXPECT_EQ(paths(expand(config, mounts)), "sdb=/b");
}

TEST(AutoTargets, AreMadeByTheFirstRuleThatMatches) {
  const Config config = rules("  - {match: {fstype: xfs}, name: \"x-{basename}\"}\n" + kAnyData);
  const std::vector<MountIdentity> mounts{mount("/data/a", "sda", "xfs"), mount("/data/b", "sdb")};
  EXPECT_EQ(paths(expand(config, mounts)), "x-a=/data/a b=/data/b");
}

TEST(AutoTargets, LeaveToATargetWhatItIsOn) {
  const Config config = rules(kAnyData,
                              "targets:\n  - {name: b, path: /data/a}\n"
                              "  - {name: sub, path: /data/c/d, expect: {fstype: ext4}}\n"
                              "  - {name: raw, device: /dev/sdd}\n");
  const std::vector<MountIdentity> mounts{mount("/data/a", "sda"), mount("/data/c", "sdc"),
                                          mount("/data/d", "sdd"), mount("/srv/b", "sdb"),
                                          mount("/data/z", "sda")};
  EXPECT_EQ(paths(expand(config, mounts)), "b=/data/a sub=/data/c/d raw=/dev/sdd");
}

TEST(AutoTargets, AreOneForADeviceThatIsMountedTwice) {
  const std::vector<MountIdentity> mounts{mount("/data/b", "sda"), mount("/data/a", "sda")};
  EXPECT_EQ(paths(expand(rules(kAnyData), mounts)), "a=/data/a");
}

TEST(AutoTargets, OfOneServerAreOneForEachExport) {
  std::vector<MountIdentity> mounts(3);
  for (MountIdentity& each : mounts) each.fs_type = "nfs4";
  mounts[0].mountpoint = "/data/a", mounts[0].source = "nas:/a";
  mounts[1].mountpoint = "/data/b", mounts[1].source = "nas:/b";
  mounts[2].mountpoint = "/data/c", mounts[2].source = "nas:/a";
  EXPECT_EQ(paths(expand(rules(kAnyData), mounts)), "a=/data/a b=/data/b");
}

TEST(AutoTargets, WithOneNameAreToldApartByTheirOwnMountPoint) {
  const Config config = rules("  - {match: {fstype: ext4}, name: \"{basename}\"}\n",
                              "targets: [{name: data, path: /x}]\n");
  const std::vector<MountIdentity> alone{mount("/b/data", "sdb")};
  const std::vector<MountIdentity> both{mount("/b/data", "sdb"), mount("/a/data", "sda")};
  const Config one = expand(config, alone);
  const Config two = expand(config, both);
  ASSERT_EQ(two.targets.size(), 3U);
  EXPECT_EQ(two.targets[2].name, one.targets[1].name);
  EXPECT_NE(two.targets[1].name, two.targets[2].name);
  EXPECT_TRUE(two.targets[1].name.starts_with("data-"));
}

TEST(AutoTargets, AreNoMoreThan256WithTheOthers) {
  std::vector<MountIdentity> mounts;
  for (int i = 0; i < 300; ++i)
    mounts.push_back(mount("/data/" + std::to_string(i), std::to_string(i)));
  const Config config = rules(kAnyData, "targets: [{name: own, path: /own}]\n");
  const Config expanded = expand(config, mounts);
  EXPECT_EQ(expanded.targets.size(), 256U);
  EXPECT_EQ(expanded.targets[0].name, "own");
}

TEST(AutoTargets, PassTheRulesThatWrittenOnesPass) {
  const Config config = rules("  - {match: {fstype: ext4}, name: \"{mountpoint}\"}\n");
  const std::vector<MountIdentity> mounts{mount("/", "sda"), mount("/a b", "sdb"),
                                          mount("/a\xff" + std::string(300, 'c'), "sdc"),
                                          mount("/all", "sdd"), mount("/.-_", "sde")};
  const Config expanded = expand(config, mounts);
  EXPECT_EQ(expanded.targets.size(), 5U);
  Config printed = expanded;
  printed.auto_rules.clear();
  printed.targets.erase(printed.targets.begin() + 4);  // no YAML text holds that path
  EXPECT_EQ(parse(print(printed), "p.yml").errors, Lines{});
}

struct NameCase {
  const char *pattern, *mountpoint, *name;
};

TEST(AutoTargets, AreNamedByWhatTheMountIs) {
  for (const auto& [pattern, mountpoint, name] :
       std::vector<NameCase>{{"{basename}", "/var/lib/mysql", "mysql"},
                             {"{basename}", "/", "root"},
                             {"{mountpoint}", "/var/lib/mysql", "var-lib-mysql"},
                             {"{mountpoint}", "/", "root"},
                             {"db-{device}", "/x", "db-sda"},
                             {"{volume_id}", "/x", "vol-1"},
                             {"plain", "/x", "plain"},
                             {"{basename}", "/...", "mount"}}) {
    MountIdentity identity = mount(mountpoint, "sda");
    identity.volume_id = "vol-1";
    EXPECT_EQ(target_name(pattern, identity), name) << pattern << " " << mountpoint;
  }
  EXPECT_EQ(target_name("{volume_id}", mount("/x", "sda")), "x");
}

}  // namespace
}  // namespace storage_probe::config
