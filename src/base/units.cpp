// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <span>

namespace storage_probe {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kMaxValue = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kMaxMantissa = 1'000'000'000'000'000'000U;  // 18 digits
constexpr unsigned kMaxScale = 18;

constexpr std::size_t kMostShown = 40;  // of a refused text

struct Unit {
  std::string_view name;
  std::uint64_t factor;
};

constexpr std::uint64_t kThousand = 1000;
constexpr std::uint64_t kMillion = 1000 * kThousand;
constexpr std::uint64_t kBillion = 1000 * kMillion;
constexpr std::uint64_t kTrillion = 1000 * kBillion;

// Ascending within decimal and binary; to_text() relies on "B" being the first.
constexpr std::array<Unit, 9> kByteUnits{{{"B", 1},
                                          {"kB", kThousand},
                                          {"MB", kMillion},
                                          {"GB", kBillion},
                                          {"TB", kTrillion},
                                          {"KiB", 1ULL << 10U},
                                          {"MiB", 1ULL << 20U},
                                          {"GiB", 1ULL << 30U},
                                          {"TiB", 1ULL << 40U}}};
constexpr std::array<Unit, 5> kCountUnits{
    {{"", 1}, {"k", kThousand}, {"M", kMillion}, {"G", kBillion}, {"T", kTrillion}}};
constexpr std::array<Unit, 7> kDurationUnits{{{"ns", 1},
                                              {"us", kThousand},
                                              {"ms", kMillion},
                                              {"s", kBillion},
                                              {"m", 60 * kBillion},
                                              {"h", 3600 * kBillion},
                                              {"d", 86400 * kBillion}}};

// For people.
constexpr std::array<Unit, 5> kHumanBytes{{{" B", 1},
                                           {" KiB", 1ULL << 10U},
                                           {" MiB", 1ULL << 20U},
                                           {" GiB", 1ULL << 30U},
                                           {" TiB", 1ULL << 40U}}};
constexpr std::array<Unit, 7> kHumanDurations{{{" ns", 1},
                                               {" us", kThousand},
                                               {" ms", kMillion},
                                               {" s", kBillion},
                                               {" min", 60 * kBillion},
                                               {" h", 3600 * kBillion},
                                               {" d", 86400 * kBillion}}};

// A decimal number as written: mantissa / 10^scale.
struct Number {
  std::uint64_t mantissa = 0;
  unsigned scale = 0;
  std::size_t length = 0;  // characters it took
};

std::string quoted(std::string_view text) {
  const bool cut = text.size() > kMostShown;
  return '"' + std::string(text.substr(0, kMostShown)) + (cut ? "…\"" : "\"");
}

Unexpected invalid(std::string_view text, const std::string& what) {
  return Unexpected({Errc::invalid, quoted(text) + what});
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits at the start of `text`, a part of `all`, with at most one point between digits. Signs,
// exponents and white space are refused.
Result<Number> read_number(std::string_view text, std::string_view all) {
  Number number;
  bool point = false;
  for (; number.length < text.size(); ++number.length) {
    const char c = text[number.length];
    if (c == '.' && !point && number.length > 0) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    number.mantissa = number.mantissa * 10 + static_cast<unsigned>(c - '0');
    if (point) ++number.scale;
    if (number.mantissa >= kMaxMantissa || number.scale > kMaxScale)
      return invalid(all, " has too many digits");
  }
  if (text.starts_with('-')) return invalid(all, " must not be negative");
  if (number.length == 0) return invalid(all, " must begin with a digit");
  if (text[number.length - 1] == '.') return invalid(all, " has a point without digits after it");
  return number;
}

Wide power_of_ten(unsigned exponent) {
  Wide power = 1;
  while (exponent-- > 0) power *= 10;
  return power;
}

// number x factor, when that is whole and fits; `what` is what there is no fraction of.
Result<std::uint64_t> scaled(std::string_view all, const Number& number, std::uint64_t factor,
                             const std::string& what) {
  // Below 2^60 x 2^47: no overflow.
  const Wide product = static_cast<Wide>(number.mantissa) * factor;
  const Wide divisor = power_of_ten(number.scale);
  if (product % divisor != 0) return invalid(all, " is not a whole number" + what);
  if (product / divisor > kMaxValue) return invalid(all, " is too large");
  return static_cast<std::uint64_t>(product / divisor);
}

const Unit* find_unit(std::span<const Unit> units, std::string_view name) {
  const auto* const unit = std::find_if(units.begin(), units.end(), [&](const Unit& u) {
                             return u.name == name;
                           }).base();
  return unit == units.data() + units.size() ? nullptr : unit;
}

// "30" needs a unit: 30s, 30m or 30h
Unexpected needs_unit(std::string_view text, std::array<std::string_view, 3> examples) {
  const std::string number(text);
  return invalid(text, " needs a unit: " + number + std::string(examples[0]) + ", " + number +
                           std::string(examples[1]) + " or " + number + std::string(examples[2]));
}

// A number this large is most likely meant in bytes, a smaller one in KiB and more.
Unexpected needs_byte_unit(std::string_view text, const Number& number) {
  constexpr std::uint64_t kLikelyBytes = 512;
  if (number.mantissa == 0) return invalid(text, " needs a unit, and more than none: as in 4KiB");
  if (number.scale > 0 || number.mantissa < kLikelyBytes)
    return needs_unit(text, {"KiB", "MiB", "GiB"});
  const std::string plain = std::to_string(number.mantissa) + "B";
  const std::string shorter = to_text(Bytes{number.mantissa});
  return invalid(text, " needs a unit: " + plain + (shorter == plain ? "" : " or " + shorter));
}

Unexpected unknown_unit(std::string_view text, std::string_view unit, std::string_view known) {
  return invalid(text, " has an unknown unit " + quoted(unit) + ": use " + std::string(known));
}

// "1h" of "1h30m".
struct DurationPart {
  std::uint64_t value = 0;  // nanoseconds
  std::uint64_t factor = 0;
  bool has_fraction = false;
  std::size_t length = 0;
};

Result<DurationPart> read_part(std::string_view all, std::string_view rest) {
  const auto number = read_number(rest, all);
  if (!number) return Unexpected(number.error());
  rest.remove_prefix(number->length);
  const std::string_view name = rest.substr(0, rest.find_first_of("0123456789."));
  if (name.empty()) return needs_unit(all, {"s", "m", "h"});
  const Unit* const unit = find_unit(kDurationUnits, name);
  if (unit == nullptr) return unknown_unit(all, name, "ns, us, ms, s, m, h or d");
  const auto value = scaled(all, *number, unit->factor, " of nanoseconds");
  if (!value) return Unexpected(value.error());
  return DurationPart{*value, unit->factor, number->scale > 0, number->length + name.size()};
}

// Three significant digits, the number scaled to the largest of `units` that leaves it at least 1
// after rounding; so 999.6 is "1k", not "1000".
std::string human(double value, std::span<const Unit> units) {
  const Unit* best = units.data();
  for (const Unit& unit : units) {
    if (std::abs(value) >= 0.9995 * static_cast<double>(unit.factor)) best = &unit;
  }
  const double shown = value / static_cast<double>(best->factor);
  std::array<char, 64> text{};
  // %.3g would turn what lies above the largest unit, and 1000 to 1023 of a binary one, into 1e+03.
  const char* const format = std::abs(shown) >= 999.5 ? "%.0f" : "%.3g";
  std::snprintf(text.data(), text.size(), format, shown);
  return text.data() + std::string(best->name);
}

}  // namespace

Duration from_seconds(double seconds) { return Duration(std::llround(seconds * 1e9)); }

Result<Bytes> parse_bytes(std::string_view text) {
  const auto number = read_number(text, text);
  if (!number) return Unexpected(number.error());
  const std::string_view name = text.substr(number->length);
  if (name.empty()) return needs_byte_unit(text, *number);
  if (name == "KB") return invalid(text, " is ambiguous: kB is 1000 bytes, KiB is 1024 bytes");
  const Unit* const unit = find_unit(kByteUnits, name);
  if (unit == nullptr)
    return unknown_unit(text, name, "B, kB, MB, GB or TB, or KiB, MiB, GiB or TiB");
  const auto value = scaled(text, *number, unit->factor, " of bytes");
  if (!value) return Unexpected(value.error());
  return Bytes{*value};
}

Result<Duration> parse_duration(std::string_view text) {
  std::uint64_t total = 0;
  std::uint64_t last_factor = std::numeric_limits<std::uint64_t>::max();
  std::string_view rest = text;
  do {
    const auto part = read_part(text, rest);
    if (!part) return Unexpected(part.error());
    rest.remove_prefix(part->length);
    if (part->factor >= last_factor) return invalid(text, " must name its larger units first");
    if (part->has_fraction && !rest.empty())
      return invalid(text, " may have a fraction in its last part only");
    last_factor = part->factor;
    total += part->value;  // both below 2^63
    if (total > kMaxValue) return invalid(text, " is too large");
  } while (!rest.empty());
  return Duration(static_cast<std::int64_t>(total));
}

Result<Ops> parse_count(std::string_view text) {
  const auto number = read_number(text, text);
  if (!number) return Unexpected(number.error());
  const std::string_view name = text.substr(number->length);
  const Unit* const unit = find_unit(kCountUnits, name);
  if (unit == nullptr) return unknown_unit(text, name, "k, M, G or T, or none");
  const auto value = scaled(text, *number, unit->factor, "");
  if (!value) return Unexpected(value.error());
  return Ops{*value};
}

Result<double> parse_byte_rate(std::string_view text) {
  const auto number = read_number(text, text);
  if (!number) return Unexpected(number.error());
  const std::string_view name = text.substr(number->length);
  if (name.empty()) return needs_unit(text, {"MiB/s", "MB/s", "Mbit/s"});
  if (name == "KB/s")
    return invalid(text, " is ambiguous: kB/s is 1000 bytes, KiB/s is 1024 bytes");
  const double value =
      static_cast<double>(number->mantissa) / static_cast<double>(power_of_ten(number->scale));
  if (name.ends_with("bit/s")) {
    const Unit* const bits = find_unit(kCountUnits, name.substr(0, name.size() - 5));
    if (bits != nullptr) return value * static_cast<double>(bits->factor) / 8;
  }
  if (name.ends_with("/s")) {
    if (const Unit* const bytes = find_unit(kByteUnits, name.substr(0, name.size() - 2));
        bytes != nullptr)
      return value * static_cast<double>(bytes->factor);
  }
  return unknown_unit(text, name, "B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, GiB/s, Mbit/s or Gbit/s");
}

Result<double> parse_percent(std::string_view text) {
  const auto number = read_number(text, text);
  if (!number) return Unexpected(number.error());
  const std::string_view name = text.substr(number->length);
  if (name.empty()) return invalid(text, " needs a percent sign, as in 50%");
  if (name != "%") return unknown_unit(text, name, "%");
  return static_cast<double>(number->mantissa) /
         static_cast<double>(power_of_ten(number->scale + 2));
}

std::string to_text(Bytes bytes) {
  std::string best = std::to_string(bytes.value) + "B";
  if (bytes.value == 0) return best;
  for (const Unit& unit : kByteUnits) {
    if (bytes.value % unit.factor != 0) continue;
    std::string text = std::to_string(bytes.value / unit.factor) + std::string(unit.name);
    // The binary units come last in the table and win a draw.
    if (text.size() <= best.size()) best = std::move(text);
  }
  return best;
}

std::string to_text(Duration duration) {
  if (duration == Duration{}) return "0s";
  const bool negative = duration < Duration{};
  auto count = static_cast<std::uint64_t>(duration.count());
  if (negative) count = 0 - count;
  std::size_t small = kDurationUnits.size() - 1;
  while (count % kDurationUnits[small].factor != 0) --small;
  std::string text = negative ? "-" : "";
  if (small + 1 < kDurationUnits.size()) {
    const Unit& large = kDurationUnits[small + 1];
    if (count >= large.factor)
      text += std::to_string(count / large.factor) + std::string(large.name);
    count %= large.factor;
  }
  return text + std::to_string(count / kDurationUnits[small].factor) +
         std::string(kDurationUnits[small].name);
}

std::string human_count(double count) { return human(count, kCountUnits); }

std::string human_byte_rate(double bytes_per_second) {
  return human(bytes_per_second, kHumanBytes) + "/s";
}

std::string human_bytes(Bytes bytes) {
  return human(static_cast<double>(bytes.value), kHumanBytes);
}

std::string human_duration(Duration duration) {
  return human(static_cast<double>(duration.count()), kHumanDurations);
}

}  // namespace storage_probe
