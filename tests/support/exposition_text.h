// SPDX-License-Identifier: Apache-2.0
// Reads the text format that prometheus-cpp writes, for tests.
#pragma once

#include <cstdlib>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>

namespace storage_probe::test {

struct ExpositionText {
  std::map<std::string, std::string> types;             // by family
  std::map<std::string, double> samples;                // "name{labels}" as written
  std::map<std::string, std::set<std::string>> labels;  // label names by family

  std::string family_of(const std::string& sample) const {
    std::string name = sample.substr(0, sample.find('{'));
    for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
      if (types.count(name) > 0 || name.size() < suffix.size()) break;
      const std::size_t stem = name.size() - suffix.size();
      if (name.compare(stem, suffix.size(), suffix) == 0 && types.count(name.substr(0, stem)) > 0)
        return name.substr(0, stem);
    }
    return name;
  }
};

// The names in `{a="x",b="y"}`; values may hold anything, quotes escaped.
inline std::set<std::string> label_names(const std::string& labels) {
  std::set<std::string> names;
  std::string name;
  bool in_value = false;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const char c = labels[i];
    if (in_value && c == '\\')
      ++i;
    else if (c == '"')
      in_value = !in_value;
    else if (!in_value && c == '=')
      names.insert(std::exchange(name, {}));
    else if (!in_value && c != ',' && c != '{' && c != '}')
      name += c;
  }
  return names;
}

inline ExpositionText parse_exposition(const std::string& text) {
  ExpositionText parsed;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("# TYPE ", 0) == 0) {
      std::istringstream words(line.substr(7));
      std::string name, type;
      words >> name >> type;
      parsed.types[name] = type;
    }
    if (line.empty() || line[0] == '#') continue;
    const std::size_t end = line.rfind(' ');
    const std::string sample = line.substr(0, end);
    parsed.samples[sample] = std::strtod(line.c_str() + end, nullptr);
    const std::size_t brace = sample.find('{');
    auto& names = parsed.labels[parsed.family_of(sample)];
    if (brace != std::string::npos) names.merge(label_names(sample.substr(brace)));
  }
  return parsed;
}

}  // namespace storage_probe::test
