// SPDX-License-Identifier: Apache-2.0
#include "targets/volume.h"

#include <gtest/gtest.h>

#include "support/fake_sysfs.h"

namespace storage_probe::targets {
namespace {

class VolumeTest : public ::testing::Test {
 protected:
  // An NVMe disk as sysfs shows it, its strings padded.
  VolumeFacts nvme(const std::string& model, const std::string& serial, const std::string& nsid,
                   const std::string& cloud = "") const {
    test::FakeSysfs sysfs;
    sysfs.add_disk("nvme1n1", "259:3");
    sysfs.write("nvme1n1", "device/model", model + "          \n");
    sysfs.write("nvme1n1", "device/serial", serial + "  \n");
    sysfs.write("nvme1n1", "nsid", nsid + "\n");
    return volume_of(sysfs.path(), "259:3", cloud);
  }

  // A SCSI disk at LUN 3; `files` are below its device.
  VolumeFacts scsi(const std::string& bus,
                   const std::vector<std::pair<std::string, std::string>>& files,
                   const std::string& cloud = "") {
    sysfs_.add_scsi_disk("sdb", "8:16", bus, "1:0:0:3");
    for (const auto& [name, text] : files)
      sysfs_.write_at("devices/" + bus + "/target0:0:0/1:0:0:3/" + name, text);
    return volume_of(sysfs_.path(), "8:16", cloud);
  }

  test::FakeSysfs sysfs_;
};

struct NvmeCase {
  const char *model, *serial, *nsid;
  VolumeFacts facts;
};

TEST_F(VolumeTest, OfNvmeIsToldByModelSerialAndNamespace) {
  for (const auto& [model, serial, nsid, facts] : std::vector<NvmeCase>{
           {"Amazon Elastic Block Store",
            "vol0123456789abcdef0",
            "1",
            {"vol-0123456789abcdef0", "", "aws"}},
           {"Amazon Elastic Block Store",
            "vol-0123456789abcdef0",
            "1",
            {"vol-0123456789abcdef0", "", "aws"}},
           {"Amazon Elastic Block Store", "nonsense", "1", {"", "", "aws"}},
           {"Amazon EC2 NVMe Instance Storage",
            "AWS1D0F0123",
            "1",
            {"AWS1D0F0123", "aws.instance-store", "aws"}},
           {"MSFT NVMe Accelerator v1.0", "SN: 000001", "1", {"os", "", "azure"}},
           {"MSFT NVMe Accelerator v1.0", "SN: 000001", "5", {"lun-3", "", "azure"}},
           {"MSFT NVMe Accelerator v1.0", "SN: 000001", "", {"", "", "azure"}},
           {"Microsoft NVMe Direct Disk", "a1b2c3", "1", {"a1b2c3", "azure.local-nvme", "azure"}},
           {"Microsoft NVMe Direct Disk v2",
            "a1b2c3",
            "1",
            {"a1b2c3", "azure.local-nvme", "azure"}},
           {"nvme_card-pd", "nvme_card-pd", "2", {"", "", "gcp"}},
           {"nvme_card", "nvme_card", "2", {"local-nvme-ssd-1", "gcp.local-ssd", "gcp"}},
           {"nvme_card7", "nvme_card7", "1", {"local-nvme-ssd-7", "gcp.local-ssd", "gcp"}},
           {"Samsung SSD 980 PRO 1TB", "S5GXNX0R", "1", {"S5GXNX0R", "", "local"}},
           {"Samsung SSD 980 PRO 1TB", "S5GXNX0R", "2", {"S5GXNX0R-ns-2", "", "local"}},
           {"QEMU NVMe Ctrl", "disk-1", "1", {"disk-1", "", ""}}})
    EXPECT_EQ(nvme(model, serial, nsid), facts) << model << " " << nsid;
}

TEST_F(VolumeTest, OfNvmeWithoutASerialHasItsNamespacesId) {
  sysfs_.add_disk("nvme0n1", "259:0");
  sysfs_.write("nvme0n1", "device/model", "Some Disk\n");
  sysfs_.write("nvme0n1", "wwid", "eui.0025385b71b0a1c2\n");
  EXPECT_EQ(volume_of(sysfs_.path(), "259:0", "hetzner"),
            (VolumeFacts{"eui.0025385b71b0a1c2", "", "hetzner"}));
}

TEST_F(VolumeTest, IgnoresASerialThatNoLabelCouldHold) {
  EXPECT_EQ(nvme("Some Disk", "a\001b", "1").id, "");
  EXPECT_EQ(nvme("Some Disk", "two words", "1").id, "");
}

TEST_F(VolumeTest, OnXenIsUnknownRatherThanWrong) {
  sysfs_.add_disk("xvdf", "202:80");
  sysfs_.write("xvdf", "device/devtype", "vbd\n");
  EXPECT_EQ(volume_of(sysfs_.path(), "202:80", "aws"), (VolumeFacts{"", "", "aws"}));
}

struct AzureCase {
  const char *device_id, *id;
};

TEST_F(VolumeTest, OfAzureScsiIsTheSlotByDeviceIdAndLun) {
  for (const auto& [device_id, id] :
       std::vector<AzureCase>{{"{00000000-0000-8899-0000-000000000000}", "os"},
                              {"{00000000-0001-8899-0000-000000000000}", "resource"},
                              {"{f8b3781b-1e82-4818-a1c3-63d806ec15bb}", "lun-3"},
                              {"{f8b3781c-1e82-4818-a1c3-63d806ec15bb}", "scsi2-lun-3"},
                              {"{f8b3781d-1e82-4818-a1c3-63d806ec15bb}", "scsi3-lun-3"},
                              {"{12345678-1e82-4818-a1c3-63d806ec15bb}", ""},
                              {"", ""}}) {
    test::FakeSysfs sysfs;
    sysfs.add_scsi_disk("sdc", "8:32", "vmbus/vmbus_0/host1", "1:0:0:3");
    sysfs.write_at("devices/vmbus/vmbus_0/device_id", std::string(device_id) + "\n");
    sysfs.write_at("devices/vmbus/vmbus_0/host1/target0:0:0/1:0:0:3/vendor", "Msft    \n");
    EXPECT_EQ(volume_of(sysfs.path(), "8:32", "azure"), (VolumeFacts{id, "", "azure"}))
        << device_id;
  }
}

TEST_F(VolumeTest, OfGoogleScsiIsTheNameOfTheDisk) {
  EXPECT_EQ(scsi("pci0/host1", {{"vendor", "Google  \n"},
                                {"model", "PersistentDisk  \n"},
                                {"wwid", "t10.Google  PersistentDisk  mysql-data\n"}}),
            (VolumeFacts{"mysql-data", "", "gcp"}));
}

TEST_F(VolumeTest, OfGoogleLocalSsdKnowsItsType) {
  EXPECT_EQ(scsi("pci0/host1", {{"vendor", "Google  \n"},
                                {"model", "EphemeralDisk   \n"},
                                {"wwid", "t10.Google  EphemeralDisk  local-ssd-0\n"}}),
            (VolumeFacts{"local-ssd-0", "gcp.local-ssd", "gcp"}));
}

TEST_F(VolumeTest, OfOracleIscsiIsInTheNameOfTheTarget) {
  sysfs_.write_at("class/iscsi_session/session7/targetname",
                  "iqn.2015-12.com.oracleiaas:01234567-89ab-cdef-0123-456789abcdef\n");
  EXPECT_EQ(scsi("platform/host2/session7", {{"vendor", "ORACLE  \n"}}, "oci"),
            (VolumeFacts{"01234567-89ab-cdef-0123-456789abcdef", "", "oci"}));
}

TEST_F(VolumeTest, OfOracleBootVolumeOverIscsiIsItsUuid) {
  sysfs_.write_at("class/iscsi_session/session1/targetname",
                  "iqn.2015-12.us.oracle.com:01234567-89ab-cdef-0123-456789abcdef\n");
  EXPECT_EQ(scsi("platform/host2/session1", {{"vendor", "ORACLE  \n"}}).id,
            "01234567-89ab-cdef-0123-456789abcdef");
}

TEST_F(VolumeTest, OfOracleParavirtualisedHasNoIdToBeSeen) {
  EXPECT_EQ(scsi("pci0/virtio1/host2",
                 {{"vendor", "ORACLE  \n"}, {"model", "BlockVolume     \n"}, {"wwid", "naa.60\n"}},
                 "oci"),
            (VolumeFacts{"", "", "oci"}));
}

TEST_F(VolumeTest, OfAnotherIscsiServerIsNotLocal) {
  sysfs_.write_at("class/iscsi_session/session1/targetname", "iqn.2003-01.org.example:lun1\n");
  EXPECT_EQ(scsi("platform/host2/session1", {{"vendor", "LIO-ORG \n"}, {"wwid", "naa.6001405\n"}}),
            (VolumeFacts{"naa.6001405", "", ""}));
}

TEST_F(VolumeTest, OfASataDiskIsItsSerial) {
  using namespace std::string_literals;
  EXPECT_EQ(
      scsi("pci0/ata1/host0", {{"vendor", "ATA     \n"}, {"vpd_pg80", "\0\x80\0\x08  S3Z9NB\0"s}}),
      (VolumeFacts{"S3Z9NB", "", "local"}));
}

TEST_F(VolumeTest, OfAnEmulatedDiskIsNobodys) {
  EXPECT_EQ(scsi("pci0/host0", {{"vendor", "QEMU    \n"}, {"model", "QEMU HARDDISK   \n"}}),
            VolumeFacts{});
}

TEST_F(VolumeTest, OfVirtioIsItsSerial) {
  sysfs_.add_disk("vda", "254:0");
  sysfs_.write("vda", "device/vendor", "0x1af4\n");
  sysfs_.write("vda", "serial", "1b2f0c4e-7d4a-4a5e-b");
  EXPECT_EQ(volume_of(sysfs_.path(), "254:0", "openstack"),
            (VolumeFacts{"1b2f0c4e-7d4a-4a5e-b", "", "openstack"}));
}

TEST_F(VolumeTest, OfWhatTheKernelMakesItselfIsUnknown) {
  sysfs_.add_disk("loop0", "7:0");
  EXPECT_EQ(volume_of(sysfs_.path(), "7:0", "aws"), VolumeFacts{});
  EXPECT_EQ(volume_of(sysfs_.path(), "9:9", "aws"), VolumeFacts{});
}

}  // namespace
}  // namespace storage_probe::targets
