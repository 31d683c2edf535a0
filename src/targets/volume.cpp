// SPDX-License-Identifier: Apache-2.0
// Each cloud says which volume a disk is in its own way: in the model and serial of an NVMe
// controller (EBS: amazon-ec2-utils), its namespace's number or a device id of the bus above
// (Azure: azure-vm-utils), the name of an iSCSI target (Oracle), or what SCSI calls the device
// (Google's guest configs). What is documented is read; an id that is not there is never made up.
#include "targets/volume.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <system_error>

#include "targets/sysfs.h"

namespace storage_probe::targets {
namespace {

using std::filesystem::path;

constexpr unsigned kMostLevels = 16;  // between a disk and the root of its bus

std::string_view trimmed(std::string_view text) {
  const auto is_padding = [](char c) { return c == ' ' || c == '\0' || c == '\n'; };
  while (!text.empty() && is_padding(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_padding(text.back())) text.remove_suffix(1);
  return text;
}

// Ids become label values, names of targets and keys of files.
std::string printable(std::string_view text) {
  text = trimmed(text);
  const bool is_plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
  return is_plain ? std::string(text) : std::string();
}

std::string attribute(const path& file) { return std::string(trimmed(read_attribute(file))); }

unsigned number_in(const std::string& text) {
  unsigned value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// A disk and where its attributes are.
struct Disk {
  path sysfs;
  path directory;  // with links resolved: below sysfs/devices
  path device;     // what drives it
  std::string name;
  std::string cloud;

  std::string model() const { return attribute(device / "model"); }
  std::string vendor() const { return attribute(device / "vendor"); }
};

// --- NVMe

// "vol0123…", with the dash that the console, the API and the user write.
std::string ebs_id(const std::string& serial) {
  if (serial.starts_with("vol-")) return serial;
  return serial.starts_with("vol") ? "vol-" + serial.substr(3) : std::string();
}

// Azure's remote disks are namespaces of one controller: the first is the system's, then come the
// data disks by LUN.
std::string azure_slot(unsigned nsid) {
  if (nsid == 0) return {};
  return nsid == 1 ? "os" : "lun-" + std::to_string(nsid - 2);
}

// One controller with a namespace for each disk, or a controller for each: "nvme_card0".
std::string google_local_slot(const std::string& model, unsigned nsid) {
  const std::string number = model.substr(std::string_view("nvme_card").size());
  if (number.empty()) return nsid == 0 ? "" : "local-nvme-ssd-" + std::to_string(nsid - 1);
  const bool is_number = number.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? "local-nvme-ssd-" + number : std::string();
}

// Namespaces of one controller share its serial.
std::string serial_id(const Disk& disk, unsigned nsid) {
  std::string serial = printable(attribute(disk.device / "serial"));
  if (serial.empty()) return printable(attribute(disk.directory / "wwid"));
  return nsid > 1 ? serial + "-ns-" + std::to_string(nsid) : serial;
}

bool is_emulated(std::string_view model) {
  constexpr std::array<std::string_view, 5> kHypervisors{"QEMU", "VMware", "VBOX", "Virtual",
                                                         "ORCL-VBOX"};
  return std::any_of(kHypervisors.begin(), kHypervisors.end(),
                     [model](std::string_view name) { return model.starts_with(name); });
}

// Of a disk that is built into the machine, or looks like one.
std::string owner_of(const Disk& disk) {
  if (!disk.cloud.empty()) return disk.cloud;
  return is_emulated(disk.model()) || is_emulated(disk.vendor()) ? "" : "local";
}

VolumeFacts nvme_volume(const Disk& disk) {
  const std::string model = disk.model();
  const unsigned nsid = number_in(attribute(disk.directory / "nsid"));
  if (model == "Amazon Elastic Block Store")
    return {ebs_id(printable(attribute(disk.device / "serial"))), "", "aws"};
  if (model == "Amazon EC2 NVMe Instance Storage")
    return {serial_id(disk, nsid), "aws.instance-store", "aws"};
  if (model.starts_with("MSFT NVMe Accelerator")) return {azure_slot(nsid), "", "azure"};
  if (model.starts_with("Microsoft NVMe Direct Disk"))
    return {serial_id(disk, nsid), "azure.local-nvme", "azure"};
  // The name of a persistent disk is in data of the namespace that sysfs does not show.
  if (model == "nvme_card-pd") return {"", "", "gcp"};
  if (model.starts_with("nvme_card"))
    return {google_local_slot(model, nsid), "gcp.local-ssd", "gcp"};
  return {serial_id(disk, nsid), "", owner_of(disk)};
}

// --- SCSI

// What `find` answers for the nearest directory above the disk that it knows.
template <typename Find>
std::string look_up(const Disk& disk, Find find) {
  path above = disk.directory;
  for (unsigned level = 0; level < kMostLevels && above != disk.sysfs && above.has_relative_path();
       ++level, above = above.parent_path())
    if (std::string found = find(above); !found.empty()) return found;
  return {};
}

// The last part of the address "host:channel:target:LUN", which names the device's directory.
std::string lun_of(const Disk& disk) {
  std::error_code error;
  const std::string address = std::filesystem::canonical(disk.device, error).filename().string();
  const std::size_t colon = address.rfind(':');
  return error || colon == std::string::npos ? std::string() : address.substr(colon + 1);
}

// Which of a virtual machine's slots the disk is in: Azure shows a guest no more than that.
VolumeFacts azure_scsi_volume(const Disk& disk) {
  const std::string bus =
      look_up(disk, [](const path& above) { return attribute(above / "device_id"); });
  const auto is = [&bus](std::string_view id) {
    return bus.size() > 1 && bus.substr(1).starts_with(id);
  };
  constexpr std::string_view kDataRest = "-1e82-4818-a1c3-63d806ec15bb";
  VolumeFacts facts{"", "", "azure"};
  if (is("00000000-0000-")) facts.id = "os";
  if (is("00000000-0001-")) facts.id = "resource";
  if (bus.find(kDataRest) == std::string::npos) return facts;
  const std::string lun = lun_of(disk);
  if (lun.empty()) return facts;
  if (is("f8b3781b")) facts.id = "lun-" + lun;
  if (is("f8b3781c")) facts.id = "scsi2-lun-" + lun;
  if (is("f8b3781d")) facts.id = "scsi3-lun-" + lun;
  return facts;
}

// "t10.Google  PersistentDisk  db-1".
VolumeFacts google_scsi_volume(const Disk& disk) {
  const std::string name = attribute(disk.device / "wwid");
  const bool is_local = disk.model().starts_with("EphemeralDisk");
  VolumeFacts facts{"", is_local ? "gcp.local-ssd" : "", "gcp"};
  for (const std::string_view kind : {"PersistentDisk", "EphemeralDisk"}) {
    const std::size_t at = name.find(kind);
    if (at == std::string::npos) continue;
    std::string_view rest = std::string_view(name).substr(at + kind.size());
    while (!rest.empty() && (rest.front() == '_' || rest.front() == ' ')) rest.remove_prefix(1);
    facts.id = printable(rest);
  }
  return facts;
}

bool is_uuid(std::string_view text) {
  constexpr std::size_t kLength = 36;
  return text.size() == kLength &&
         text.find_first_not_of("0123456789abcdefABCDEF-") == std::string_view::npos;
}

// Oracle attaches volumes over iSCSI; the name of the target ends in the volume's own id:
// "iqn.2015-12.com.oracleiaas:<uuid>".
std::string iscsi_target(const Disk& disk) {
  return look_up(disk, [&disk](const path& above) {
    const std::string name = above.filename().string();
    if (!name.starts_with("session")) return std::string();
    return attribute(disk.sysfs / "class/iscsi_session" / name / "targetname");
  });
}

VolumeFacts oracle_volume(std::string_view target) {
  const std::string_view id = target.substr(target.find(':') + 1);
  return {is_uuid(id) ? std::string(id) : std::string(), "", "oci"};
}

bool is_oracle(std::string_view target) {
  return target.starts_with("iqn.2015-12.com.oracleiaas:") ||
         target.starts_with("iqn.2015-12.us.oracle.com:");
}

// The unit's serial number, behind four bytes of header.
std::string unit_serial(const Disk& disk) {
  constexpr std::size_t kHeader = 4;
  const std::string page = read_attribute(disk.device / "vpd_pg80");
  return page.size() > kHeader ? printable(std::string_view(page).substr(kHeader)) : std::string();
}

VolumeFacts scsi_volume(const Disk& disk) {
  const std::string vendor = disk.vendor();
  if (vendor == "Msft") return azure_scsi_volume(disk);
  if (vendor == "Google") return google_scsi_volume(disk);
  const std::string target = iscsi_target(disk);
  if (is_oracle(target)) return oracle_volume(target);
  // Oracle's paravirtualised attachment shows a disk without a name of its own.
  if (vendor == "ORACLE") return {"", "", "oci"};
  VolumeFacts facts{unit_serial(disk), "", disk.cloud};
  const std::string wwid = attribute(disk.device / "wwid");
  if (facts.id.empty() && wwid.starts_with("naa.")) facts.id = printable(wwid);
  const bool is_remote = !target.empty();  // an iSCSI server's, whoever runs it
  if (!is_remote) facts.provider = owner_of(disk);
  return facts;
}

// Xen shows a guest no more than that there is a disk.
bool is_xen(const Disk& disk) {
  return disk.name.starts_with("xvd") || attribute(disk.device / "devtype") == "vbd";
}

}  // namespace

VolumeFacts volume_of(const path& sysfs, const std::string& number, const std::string& cloud) {
  std::error_code error;
  Disk disk;
  disk.sysfs = std::filesystem::canonical(sysfs, error);
  if (!error) disk.directory = std::filesystem::canonical(sysfs / "dev/block" / number, error);
  if (error) return {};
  disk.device = disk.directory / "device";
  disk.name = disk.directory.filename().string();
  disk.cloud = cloud;
  // Made by this kernel out of memory, a file or the network: whose it is is not known.
  if (!std::filesystem::exists(disk.device, error)) return {};
  if (is_xen(disk)) return {"", "", cloud};
  if (disk.name.starts_with("nvme")) return nvme_volume(disk);
  if (disk.name.starts_with("vd"))
    return {printable(attribute(disk.directory / "serial")), "", cloud};
  if (disk.name.starts_with("sd")) return scsi_volume(disk);
  return {"", "", cloud};
}

}  // namespace storage_probe::targets
