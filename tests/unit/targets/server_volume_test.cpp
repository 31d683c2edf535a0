// SPDX-License-Identifier: Apache-2.0
#include "targets/server_volume.h"

#include <gtest/gtest.h>

#include "support/files.h"
#include "support/temp_dir.h"

namespace storage_probe::targets {
namespace {

Mount mounted(const char* source, const char* options = "rw", const char* fs_type = "nfs4") {
  Mount mount;
  mount.mountpoint = "/mnt/efs";
  mount.source = source;
  mount.fs_type = fs_type;
  mount.super_options = options;
  return mount;
}

TEST(ServerVolume, IsNamedByTheServer) {
  test::TempDir run;
  const auto facts = [&run](const char* source, const char* fs_type = "nfs4") {
    return server_volume(mounted(source, "rw", fs_type), run.path());
  };
  const VolumeFacts efs{"fs-0123456789abcdef0", "", "aws"};
  EXPECT_EQ(facts("fs-0123456789abcdef0.efs.eu-west-1.amazonaws.com:/"), efs);
  EXPECT_EQ(facts("euw1-az1.fs-0123456789abcdef0.efs.eu-west-1.amazonaws.com:/db"), efs);
  EXPECT_EQ(facts("fs-0123456789abcdef0.efs.cn-north-1.amazonaws.com.cn:/"), efs);
  EXPECT_EQ(facts("euw1-az1.fs-0123456789abcdef0.s3files.eu-west-1.amazonaws.com:/"), efs);
  EXPECT_EQ(facts("fs-0123456789abcdef0.fsx.us-east-1.amazonaws.com:/fsx/"), efs);
  EXPECT_EQ(facts("fs-01.fsx.us-gov-east-1.amazonaws.com@tcp:/abc", "lustre"),
            (VolumeFacts{"fs-01", "aws.fsx.lustre", "aws"}));
}

TEST(ServerVolume, IsNotGuessed) {
  test::TempDir run;
  for (const char* source :
       {"nas:/export", "10.0.0.4:/", "fs-1:/export", "fs-x.efs.eu-west-1.amazonaws.com:/",
        "fs-1.efs.lan.example:/", "fs-.efs.eu-west-1.amazonaws.com:/", "[fe80::1]:/", "//filer/x",
        "a.b.fs-1.efs.eu-west-1.amazonaws.com:/", "fs-1.nfs.eu-west-1.amazonaws.com:/", ":/", ""})
    EXPECT_EQ(server_volume(mounted(source), run.path()), VolumeFacts{}) << source;
}

class TunnelTest : public ::testing::Test {
 protected:
  void add_state(const char* name) { test::write_file(run_ / "efs" / name, "{}"); }
  std::string id(const char* options) const {
    return server_volume(mounted("127.0.0.1:/", options), run_.path()).id;
  }

  test::TempDir run_;
};

TEST_F(TunnelTest, IsFoundByItsPort) {
  add_state("fs-deadbeef.mnt.efs.20407");
  add_state("fs-0badcafe.mnt.other.20408");
  add_state("stunnel-config.fs-0bad.mnt.efs.20407");
  EXPECT_EQ(id("rw,port=20407,addr=127.0.0.1"), "fs-deadbeef");
  EXPECT_EQ(id("rw,port=20408,addr=127.0.0.1"), "fs-0badcafe");  // a bind mount
  EXPECT_EQ(id("rw,port=20409,addr=127.0.0.1"), "");
  EXPECT_EQ(id("rw,port=407"), "");
  EXPECT_EQ(id("rw"), "");
}

TEST_F(TunnelTest, OfTwoOnOnePortIsTheOneForTheMountPoint) {
  add_state("fs-0badcafe.srv.20407");
  add_state("fs-deadbeef.mnt.efs.20407");
  EXPECT_EQ(id("rw,port=20407"), "fs-deadbeef");
}

TEST_F(TunnelTest, IsUnknownWhenStateContradictsItself) {
  add_state("fs-0badcafe.srv.20407");
  add_state("fs-deadbeef.srv.20407");
  EXPECT_EQ(id("rw,port=20407"), "");
}

TEST_F(TunnelTest, IsUnknownWithoutState) {
  EXPECT_EQ(server_volume(mounted("127.0.0.1:/", "rw,port=1"), run_.path()), VolumeFacts{});
}

}  // namespace
}  // namespace storage_probe::targets
