// SPDX-License-Identifier: Apache-2.0
#include "config/words.h"

#include <algorithm>
#include <array>
#include <vector>

#include "config/yaml_text.h"

namespace storage_probe::config {
namespace {

constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kDigits = "0123456789";

// Labels that this exporter or Prometheus sets itself.
constexpr auto kReservedLabels = std::to_array<std::string_view>(
    {"as_of",      "backend",   "block_size",  "bound",        "code",       "compiler",
     "device",     "direct_io", "engine",      "errno",        "from",       "fstype",
     "handler",    "instance",  "job",         "kind",         "le",         "limit",
     "mountpoint", "op",        "path",        "pattern",      "percentile", "probe",
     "provider",   "quantile",  "queue_depth", "read_percent", "reason",     "resource",
     "result",     "revision",  "role",        "sha256",       "source",     "state",
     "target",     "verdict",   "version",     "volume_id",    "volume_type"});

// Whether there are only letters, digits and `more` in `text`.
bool is_made_of(std::string_view text, std::string_view more) {
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return kLetters.find(c) != std::string_view::npos ||
           kDigits.find(c) != std::string_view::npos || more.find(c) != std::string_view::npos;
  });
}

// How many letters must be added, removed, changed or swapped with their neighbour.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMostShown = 60;
  std::size_t end = 0;
  while (end < text.size() && end < kMostShown)
    end += std::max<std::size_t>(utf8_length(text.substr(end)), 1);
  return '"' + std::string(text.substr(0, end)) + (end < text.size() ? "…\"" : "\"");
}

std::string listed(std::span<const std::string_view> words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " and " : ", ";
    text += words[i];
  }
  return text;
}

std::string hint(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kLongestGuessed = 40;
  std::size_t best = word.size() <= 3 ? 2 : 3;  // so that not everything is close to a short word
  std::string_view meant;
  for (const std::string_view candidate : known) {
    if (word.size() > kLongestGuessed) break;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best && distance < candidate.size()) {
      best = distance;
      meant = candidate;
    }
  }
  if (!meant.empty()) return ", did you mean " + in_quotes(meant) + "?";
  return ": known here are " + listed(known);
}

std::string flaw_of_name(std::string_view name) {
  if (name.size() > kLongestName)
    return "longer than " + std::to_string(kLongestName) + " characters: shorten it";
  if (name.empty() || name.find_first_of("._-") == 0 || !is_made_of(name, "._-"))
    return in_quotes(name) +
           " must begin with a letter or digit and hold only letters, digits, \".\", \"_\" and "
           "\"-\"";
  return {};
}

std::string flaw_of_label(std::string_view name) {
  constexpr std::size_t kLongest = 63;
  if (name.size() > kLongest)
    return "longer than " + std::to_string(kLongest) + " characters: shorten it";
  if (name.empty() || kDigits.find(name[0]) != std::string_view::npos || !is_made_of(name, "_"))
    return "is no label name: begin it with a letter or \"_\" and use only letters, digits and "
           "\"_\"";
  if (name.starts_with("__")) return "names that begin with \"__\" are Prometheus's own: rename it";
  if (std::find(kReservedLabels.begin(), kReservedLabels.end(), name) != kReservedLabels.end())
    return "the label " + in_quotes(name) + " is set by the exporter or by Prometheus: rename it";
  return {};
}

}  // namespace storage_probe::config
