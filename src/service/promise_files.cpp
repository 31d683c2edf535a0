// SPDX-License-Identifier: Apache-2.0
#include "service/promise_files.h"

#include <utility>

#include "base/file.h"
#include "wire/promises.h"

namespace storage_probe::service {

Result<PromiseBook> read_promise_files(const std::vector<std::filesystem::path>& files) {
  PromiseBook book;
  for (const std::filesystem::path& file : files) {
    const auto text = read_file(file, wire::kLargestPromises.value);
    if (!text) return Unexpected(text.error());
    auto part = wire::parse_promises(*text);
    if (!part) return Unexpected(part.error().in(file.string()));
    for (auto& [volume, said] : *part) {
      if (book.emplace(volume, std::move(said)).second) continue;
      return Unexpected(Error{Errc::invalid, file.string() + ": " + volume +
                                                 " is in another promises file as well: keep one"});
    }
  }
  return book;
}

}  // namespace storage_probe::service
