// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace storage_probe::config {

// Lines and columns as people count them, from 1; 0 where a file has no text to point at.
struct Mark {
  unsigned line = 0;
  unsigned column = 0;
};

// Something in a configuration file: where it stands and what it is called
// ("targets[2].probes[0].limits.time"; empty for the file as a whole).
struct Place {
  std::size_t file = 0;  // as given by Problems::add_file()
  Mark mark;
  std::string path;

  Place at(Mark other) const { return {file, other, path}; }
  Place child(const std::string& key) const {
    return {file, mark, path.empty() ? key : path + "." + key};
  }
};

// All that is wrong or noteworthy in a configuration, collected over all its files, so that people
// mend a file in one go. One lives through each load; everything that reads holds a reference.
class Problems {
 public:
  // The number that stands for this file in places; files are listed in the order they are added.
  std::size_t add_file(const std::string& name);
  const std::string& file_name(std::size_t file) const { return files_[file]; }

  // What says the same about the same place is kept once: a flaw of `defaults` shows in each
  // target.
  void refuse(const Place& place, const std::string& reason);
  void note(const Place& place, const std::string& text);

  bool empty() const { return errors_.empty(); }

  // "file:line:column: path: reason" in the files' order, at most 20 with a last line that says how
  // many more there are.
  std::vector<std::string> errors() const { return listed(errors_, "errors"); }
  std::vector<std::string> notes() const { return listed(notes_, "notes"); }

 private:
  struct Entry {
    Place place;
    std::string text;
  };
  static void add(std::vector<Entry>& entries, const Place& place, const std::string& text);
  std::vector<std::string> listed(std::vector<Entry> entries, const std::string& what) const;

  std::vector<std::string> files_;
  std::vector<Entry> errors_;
  std::vector<Entry> notes_;
};

}  // namespace storage_probe::config
