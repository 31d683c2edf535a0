// SPDX-License-Identifier: Apache-2.0
#include "cli/bars.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace storage_probe::cli {
namespace {

constexpr std::size_t kMostRows = 9;
constexpr std::size_t kBarColumns = 44;

constexpr std::array<const char*, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
constexpr std::array<const char*, 8> kHeights{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<const char*, 8> kAsciiHeights{"_", ".", ":", "-", "=", "+", "*", "#"};

// Round bounds within a decade, in hundredths, from fine to coarse.
using Bounds = std::span<const std::int64_t>;
constexpr std::array<std::int64_t, 10> kFine{100, 120, 150, 200, 250, 300, 400, 500, 600, 800};
constexpr std::array<std::int64_t, 3> kMedium{100, 200, 500};
constexpr std::array<std::int64_t, 2> kCoarse{100, 300};
constexpr std::array<std::int64_t, 1> kDecades{100};
constexpr std::array<Bounds, 4> kByFineness{kFine, kMedium, kCoarse, kDecades};

// The bounds of rows that hold all from `least` to `most`: the first one includes `least`.
std::vector<Duration> rows_between(Duration least, Duration most, Bounds bounds) {
  std::vector<Duration> rows;
  constexpr std::int64_t kLongest = 10'000'000'000'000'000;  // ns: beyond any deadline
  for (std::int64_t decade = 1; decade <= kLongest; decade *= 10) {
    for (const std::int64_t bound : bounds) {
      const Duration row(decade * bound / 100);
      if (row < least || (!rows.empty() && row == rows.back())) continue;
      rows.push_back(row);
      if (row >= most) return rows;
    }
  }
  return rows;
}

std::vector<Duration> rows_for(const LatencyHistogram& latency) {
  std::vector<Duration> rows;
  for (const Bounds bounds : kByFineness) {
    rows = rows_between(latency.min(), latency.max(), bounds);
    if (rows.size() <= kMostRows) break;
  }
  return rows;
}

std::string percent(double share) {
  if (share > 0 && share < 0.0005) return " <0.1 %";
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%5.1f %%", share * 100);
  return text.data();
}

bool names_utf8(std::string locale) {
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return locale.ends_with("utf-8") || locale.ends_with("utf8");
}

}  // namespace

bool can_overwrite(Stream stream, const std::function<const char*(const char*)>& environment) {
  const char* const terminal = environment("TERM");
  const std::string_view kind = terminal != nullptr ? terminal : "";
  return stream == Stream::terminal && !kind.empty() && kind != "dumb";
}

Style style_for(Stream stream, const std::function<const char*(const char*)>& environment) {
  if (stream == Stream::other) return {};
  const auto value = [&](const char* name) {
    const char* const text = environment(name);
    return std::string(text != nullptr ? text : "");
  };
  Style style;
  if (value("NO_COLOR").empty() && can_overwrite(stream, environment)) style.ink = Ink::coloured;
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {  // the first that is set decides
    const std::string locale = value(name);
    if (locale.empty()) continue;
    if (names_utf8(locale)) style.glyphs = Glyphs::blocks;
    break;
  }
  return style;
}

std::string painted(const std::string& text, Tone tone, Style style) {
  if (style.ink == Ink::plain) return text;
  const char* code = "1";
  switch (tone) {
    case Tone::strong:
      break;
    case Tone::good:
      code = "32";
      break;
    case Tone::warning:
      code = "33";
      break;
    case Tone::bad:
      code = "31";
      break;
  }
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m";
}

std::string bar(double share, std::size_t width, Glyphs glyphs) {
  const double columns = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  if (columns <= 0) return "";
  if (glyphs == Glyphs::ascii) {
    const auto whole = static_cast<std::size_t>(std::lround(columns));
    return whole == 0 ? "." : std::string(whole, '#');
  }
  const auto eighths = std::max<std::size_t>(static_cast<std::size_t>(std::lround(columns * 8)), 1);
  std::string text;
  for (std::size_t i = 0; i < eighths / 8; ++i) text += "█";
  return text + kEighths[eighths % 8];
}

std::string course(std::span<const double> values, std::size_t width, Glyphs glyphs) {
  if (values.empty() || width == 0) return "";
  const std::size_t columns = std::min(values.size(), width);
  std::vector<double> means;
  for (std::size_t i = 0; i < columns; ++i) {
    const auto part =
        values.subspan(i * values.size() / columns,
                       (i + 1) * values.size() / columns - i * values.size() / columns);
    double sum = 0;
    for (const double value : part) sum += value;
    means.push_back(sum / static_cast<double>(part.size()));
  }
  const double largest = *std::max_element(means.begin(), means.end());
  const auto& heights = glyphs == Glyphs::ascii ? kAsciiHeights : kHeights;
  std::string text;
  for (const double mean : means) {
    const double share = largest > 0 ? std::clamp(mean / largest, 0.0, 1.0) : 0;
    text += heights[static_cast<std::size_t>(std::lround(share * 7))];
  }
  return text;
}

std::string latency_bars(const LatencyHistogram& latency, Style style) {
  if (latency.count() == 0) return "";
  const std::vector<Duration> rows = rows_for(latency);
  const auto all = static_cast<double>(latency.count());
  std::vector<double> shares;
  std::uint64_t counted = 0;
  for (const Duration row : rows) {
    const std::uint64_t up_to = row == rows.back() ? latency.count() : latency.count_up_to(row);
    shares.push_back(static_cast<double>(up_to - counted) / all);
    counted = up_to;
  }
  const double largest = *std::max_element(shares.begin(), shares.end());
  std::string text;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string bound = human_duration(rows[i]);
    bound.insert(0, bound.size() < 7 ? 7 - bound.size() : 0, ' ');
    const std::string drawn =
        largest > 0 ? bar(shares[i] / largest, kBarColumns, style.glyphs) : "";
    text += "    to " + bound + "  " + percent(shares[i]);
    text += (drawn.empty() ? "" : "  " + drawn) + "\n";
  }
  return text;
}

}  // namespace storage_probe::cli
