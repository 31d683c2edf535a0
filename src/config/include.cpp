// SPDX-License-Identifier: Apache-2.0
#include "config/include.h"

#include <fnmatch.h>

#include <algorithm>
#include <string>
#include <system_error>

namespace storage_probe::config {
namespace {

using std::filesystem::path;

constexpr std::size_t kMostFiles = 64;
constexpr std::size_t kMostPatterns = 64;
// A directory of this many entries is none of configuration files.
constexpr std::size_t kMostEntries = 10'000;
constexpr const char* kWildcards = "*?[";

bool is_pattern(const path& name) {
  return name.string().find_first_of(kWildcards) != std::string::npos;
}

std::string flaw_of(const path& pattern) {
  if (pattern.is_absolute()) return " is absolute: write it relative to this file's directory";
  if (std::find(pattern.begin(), pattern.end(), "..") != pattern.end())
    return " must be written without \"..\": only files below this one's directory are included";
  if (is_pattern(pattern.parent_path()))
    return " has a wildcard in a directory: only the file's name may have one";
  if (!pattern.has_filename()) return " names a directory: add a file name, as in targets.d/*.yml";
  return {};
}

// The files in the pattern's directory whose names match, sorted. A directory that does not exist
// holds none.
std::vector<path> matches(const Value& value, const path& pattern) {
  std::vector<path> found;
  std::error_code error;
  std::size_t seen = 0;
  const path directory = pattern.has_parent_path() ? pattern.parent_path() : path(".");
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (++seen > kMostEntries) {
      value.refuse("more than " + std::to_string(kMostEntries) + " files in " + directory.string() +
                   ": give the configuration a directory of its own");
      return {};
    }
    const path name = entry->path().filename();
    if (::fnmatch(pattern.filename().c_str(), name.c_str(), FNM_PERIOD) == 0)
      found.push_back(pattern.parent_path() / name);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    value.refuse("cannot list " + directory.string() + ": " + error.message());
  std::sort(found.begin(), found.end());
  return found;
}

// What would block, or has no end, is no configuration file.
bool is_readable_kind(const Value& value, const path& file) {
  std::error_code error;
  const auto status = std::filesystem::status(file, error);
  if (std::filesystem::is_regular_file(status)) return true;
  if (status.type() == std::filesystem::file_type::not_found)
    value.refuse("there is no file " + file.string());
  else if (error)
    value.refuse("cannot look at " + file.string() + ": " + error.message());
  else
    value.refuse(file.string() + " is no regular file");
  return false;
}

// The files that one entry of `include` names; told why where there are none.
std::vector<path> named_files(const Value& value, const path& main) {
  const auto text = value.text();
  if (!text) return {};
  if (const std::string flaw = flaw_of(*text); !flaw.empty()) {
    value.refuse(in_quotes(*text) + flaw);
    return {};
  }
  const path pattern = main.parent_path() / *text;
  auto found =
      is_pattern(pattern.filename()) ? matches(value, pattern) : std::vector<path>{pattern};
  if (found.empty()) value.problems().note(value.place(), "matches no file");
  std::erase_if(found, [&](const path& file) {
    std::error_code unknown;
    return std::filesystem::equivalent(file, main, unknown);
  });
  return found;
}

}  // namespace

std::vector<path> included_files(const Value& include, const path& main) {
  std::vector<path> files;
  for (const Value& value : include.list(kMostPatterns)) {
    for (const path& file : named_files(value, main)) {
      const bool known = std::find(files.begin(), files.end(), file) != files.end();
      if (!known && is_readable_kind(value, file)) files.push_back(file);
    }
  }
  if (files.size() > kMostFiles) {
    include.refuse(std::to_string(files.size()) + " files, at most " + std::to_string(kMostFiles) +
                   " are possible: merge some");
    files.resize(kMostFiles);
  }
  return files;
}

}  // namespace storage_probe::config
