// SPDX-License-Identifier: Apache-2.0
#include "service/host_id.h"

#include <sys/random.h>
#include <systemd/sd-id128.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>
#include <system_error>

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

// What firmware says where nobody has set a tag.
constexpr std::array<std::string_view, 12> kNoTags{
    "none",   "n/a",     "na",           "default string",   "not specified", "not available",
    "system", "unknown", "no asset tag", "asset-1234567890", "0123456789",    "1234567890"};

bool is_own_tag(std::string tag) {
  std::transform(tag.begin(), tag.end(), tag.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool has_digit = tag.find_first_of("123456789") != std::string::npos;
  return has_digit && std::find(kNoTags.begin(), kNoTags.end(), tag) == kNoTags.end();
}

// Empty where the board has none that is its own.
std::string board_tag(const std::filesystem::path& sysfs) {
  const auto tag = read_file(sysfs / "class/dmi/id/board_asset_tag", kFileLimit);
  return tag && is_own_tag(trimmed(*tag)) ? trimmed(*tag) : std::string();
}

// Of the first by name; a card has a device behind it, which bridges and containers' ends have not.
std::string card_address(const std::filesystem::path& sysfs) {
  std::error_code error;
  std::string first, address;
  for (const auto& card : std::filesystem::directory_iterator(sysfs / "class/net", error)) {
    const std::string name = card.path().filename();
    if (!first.empty() && name > first) continue;
    if (!std::filesystem::exists(card.path() / "device", error)) continue;
    const auto text = read_file(card.path() / "address", kFileLimit);
    if (!text || text->find_first_of("123456789abcdef") == std::string::npos) continue;
    first = name;
    address = trimmed(*text);
  }
  return address;
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) < 0) return {};
  return name.data();
}

// What tells two machines made from one image apart.
std::string distinguishing_mark(const std::filesystem::path& sysfs) {
  std::string tag = board_tag(sysfs);
  return tag.empty() ? host_name() + ' ' + card_address(sysfs) : tag;
}

// The same without the host name, which is another in each container of one state directory; empty
// where nothing tells.
std::string hardware_mark(const std::filesystem::path& sysfs) {
  const std::string mark = board_tag(sysfs) + card_address(sysfs);
  return mark.empty() ? mark : to_hex(stable_hash(mark));
}

// The file holds the id, and after a space the mark of the hardware that it was drawn on.
Result<std::string> kept_random_id(const HostIdSources& sources) {
  const std::filesystem::path file = sources.storage_path / "host-id";
  const std::string mark = hardware_mark(sources.sysfs);
  const auto kept = read_file(file, kFileLimit);
  if (kept) {
    const std::string text = trimmed(*kept);
    const std::size_t space = std::min(text.find(' '), text.size());
    const std::string kept_mark = text.substr(std::min(space + 1, text.size()));
    if (kept_mark.empty() || mark.empty() || kept_mark == mark)
      return parse_host_id(text.substr(0, space));
  } else if (kept.error().code != Errc::not_found) {
    return Unexpected(kept.error());
  }
  std::uint64_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) {
    return Unexpected(system_error(errno).in("draw a random host id"));
  }
  const std::string id = to_hex(value);
  if (const auto written = write_file_atomically(file, trimmed(id + ' ' + mark) + "\n"); !written) {
    return Unexpected(written.error());
  }
  return id;
}

}  // namespace

std::optional<std::string> read_machine_id() {
  sd_id128_t id{};
  if (sd_id128_get_machine_app_specific(kApplication, &id) < 0) return std::nullopt;
  std::array<char, SD_ID128_STRING_MAX> text{};
  return std::string(sd_id128_to_string(id, text.data()));
}

Result<std::string> host_id(const HostIdSources& sources) {
  const auto machine = sources.machine_id();
  if (!machine) {
    auto id = kept_random_id(sources);
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
