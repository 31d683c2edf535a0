// SPDX-License-Identifier: Apache-2.0
#include "cli/fio_file.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <system_error>

#include "model/file_size.h"

namespace storage_probe::cli {
namespace {

// 64 random bits: no other file is called so, and none can be put there in advance.
std::string new_name() {
  std::random_device random;
  std::array<char, 48> name{};
  std::snprintf(name.data(), name.size(), "storage-probe-fio-%08x%08x.tmp", random(), random());
  return name.data();
}

Result<Bytes> size_on(const Target& target) {
  if (target.file.size) return *target.file.size;
  std::error_code error;
  const auto facts = std::filesystem::space(target.path, error);
  if (error) {
    return Unexpected(Error{Errc::not_found, target.path.string() + ": " + error.message()});
  }
  const Space space = space_of(Bytes{facts.capacity}, Bytes{facts.available});
  const auto size = default_file_size(space, room(space, target.space));
  if (!size) {
    return Unexpected(Error{Errc::invalid, target.path.string() + " has no room for a probe file"});
  }
  return *size;
}

Result<FioFile> temporary(const Target& target) {
  const auto size = size_on(target);
  if (!size) return Unexpected(size.error());
  const bool beside = target.file.directory_is_explicit;
  return FioFile{(beside ? target.path / target.file.directory : target.path) / new_name(),
                 FioFile::Life::temporary,
                 {},
                 *size};
}

}  // namespace

Result<FioFile> fio_file_for(const Target& target, const ProbeSpec& spec, const std::string& name) {
  constexpr auto kExisting = FioFile::Life::existing;
  if (!target.device.empty()) return FioFile{target.device, kExisting, {}, {}};
  switch (target.file.mode) {
    case ProbeFileSpec::Mode::existing:
      return FioFile{target.path / target.file.path, kExisting, {}, {}};
    case ProbeFileSpec::Mode::managed:
      if (spec.writes()) return temporary(target);
      return FioFile{
          target.path / target.file.directory / (name + ".dat"), kExisting, kProbeFileHeader,
          target.file.size ? std::optional(*target.file.size - kProbeFileHeader) : std::nullopt};
    case ProbeFileSpec::Mode::unnamed:
      return temporary(target);
  }
  return Unexpected(Error{Errc::invalid, "probe file: no such mode"});
}

}  // namespace storage_probe::cli
