// SPDX-License-Identifier: Apache-2.0
#include "service/host_id.h"

#include <sys/random.h>
#include <systemd/sd-id128.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/file.h"
#include "base/hash.h"

namespace storage_probe::service {
namespace {

// Drawn once for this program; changing it renames every probe file.
constexpr sd_id128_t kApplication{{0x5b, 0x1d, 0x92, 0xc4, 0x0e, 0x37, 0x4f, 0x68, 0x9a, 0x23, 0xd7,
                                   0x41, 0x8c, 0xf0, 0x65, 0xbe}};
constexpr std::size_t kFileLimit = 4096;
constexpr std::size_t kDigits = 16;

std::string to_hex(std::uint64_t value) {
  std::array<char, kDigits + 1> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::optional<std::string> machine_id() {
  sd_id128_t id{};
  if (sd_id128_get_machine_app_specific(kApplication, &id) < 0) return std::nullopt;
  std::array<char, SD_ID128_STRING_MAX> text{};
  return std::string(sd_id128_to_string(id, text.data()));
}

// What tells two machines made from one image apart.
std::string distinguishing_mark(const std::filesystem::path& sysfs) {
  const auto tag = read_file(sysfs / "class/dmi/id/board_asset_tag", kFileLimit);
  if (tag && !trimmed(*tag).empty()) return trimmed(*tag);
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) < 0) return {};
  return name.data();
}

Result<std::string> kept_random_id(const std::filesystem::path& file) {
  const auto kept = read_file(file, kFileLimit);
  if (kept) return parse_host_id(trimmed(*kept));
  if (kept.error().code != Errc::not_found) return Unexpected(kept.error());
  std::uint64_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) {
    return Unexpected(system_error(errno).in("draw a random host id"));
  }
  const std::string id = to_hex(value);
  if (const auto written = write_file_atomically(file, id + "\n"); !written) {
    return Unexpected(written.error());
  }
  return id;
}

}  // namespace

Result<std::string> host_id(const HostIdSources& sources) {
  const auto machine = machine_id();
  if (!machine) {
    auto id = kept_random_id(sources.storage_path / "host-id");
    if (!id) return Unexpected(id.error().in("host id"));
    return id;
  }
  return to_hex(stable_hash(distinguishing_mark(sources.sysfs), stable_hash(*machine)));
}

Result<std::string> parse_host_id(const std::string& text) {
  const bool valid = !text.empty() && text.size() <= kDigits &&
                     text.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!valid) {
    return Unexpected(Error{Errc::invalid, "\"" + text + "\" is no host id: 1 to 16 of 0-9 a-f"});
  }
  return std::string(kDigits - text.size(), '0') + text;
}

}  // namespace storage_probe::service
