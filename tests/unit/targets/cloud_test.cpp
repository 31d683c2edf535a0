// SPDX-License-Identifier: Apache-2.0
#include "targets/cloud.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::targets {
namespace {

struct CloudCase {
  const char *file, *text, *cloud;
};

TEST(Cloud, IsToldByTheFirmware) {
  for (const auto& [file, text, cloud] : std::vector<CloudCase>{
           {"class/dmi/id/sys_vendor", "Amazon EC2", "aws"},
           {"class/dmi/id/board_asset_tag", "i-0123456789abcdef0", "aws"},
           {"class/dmi/id/product_uuid", "ec2e1916-9099-7caf-fd21-012345abcdef", "aws"},
           {"class/dmi/id/product_uuid", "EC2E1916-9099-7CAF-FD21-012345ABCDEF", "aws"},
           {"class/dmi/id/product_uuid", "45E12AEC-DCD1-B213-94ED-012345ABCDEF", "aws"},
           {"hypervisor/uuid", "ec2e1916-9099-7caf-fd21-012345abcdef", "aws"},
           {"class/dmi/id/chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", "azure"},
           {"class/dmi/id/chassis_asset_tag", "OracleCloud.com", "oci"},
           {"class/dmi/id/product_name", "Google Compute Engine", "gcp"},
           {"class/dmi/id/product_serial", "GoogleCloud-0123456789ABCDEF", "gcp"},
           {"class/dmi/id/sys_vendor", "Linode", "akamai"},
           {"class/dmi/id/sys_vendor", "Akamai", "akamai"},
           {"class/dmi/id/sys_vendor", "DigitalOcean", "digitalocean"},
           {"class/dmi/id/sys_vendor", "Hetzner", "hetzner"},
           {"class/dmi/id/sys_vendor", "Vultr", "vultr"},
           {"class/dmi/id/sys_vendor", "Scaleway", "scaleway"},
           {"class/dmi/id/sys_vendor", "UpCloud", "upcloud"},
           {"class/dmi/id/product_name", "Alibaba Cloud ECS", "alibaba"},
           {"class/dmi/id/product_name", "OpenStack Nova", "openstack"},
           {"class/dmi/id/product_name", "OpenStack Compute", "openstack"}}) {
    test::FakeSysfs sysfs;
    sysfs.write_at(file, std::string(text) + "\n");
    EXPECT_EQ(cloud_of(sysfs.path()), cloud) << file << ": " << text;
  }
}

TEST(Cloud, IsNotGuessed) {
  EXPECT_EQ(cloud_of(test::FakeSysfs().path()), "");
  for (const auto& [file, text, cloud] : std::vector<CloudCase>{
           {"class/dmi/id/sys_vendor", "QEMU", ""},
           {"class/dmi/id/sys_vendor", "Dell Inc.", ""},
           {"class/dmi/id/board_asset_tag", "i-am-a-desk", ""},
           {"class/dmi/id/product_uuid", "4c4c4544-0042-3510-8052-b4c04f4e3132", ""},
           {"class/dmi/id/chassis_asset_tag", "7783-7084", ""}}) {
    test::FakeSysfs sysfs;
    sysfs.write_at(file, std::string(text) + "\n");
    EXPECT_EQ(cloud_of(sysfs.path()), cloud) << file << ": " << text;
  }
}

}  // namespace
}  // namespace storage_probe::targets
