// SPDX-License-Identifier: Apache-2.0
#include "service/promise_watch.h"

#include <chrono>

#include "service/promise_files.h"

namespace storage_probe::service {
namespace {

constexpr std::chrono::seconds kReadEvery{30};

}  // namespace

// A reading of other files that is still under way is left behind with its reader.
Result<void> PromiseWatch::watch(std::vector<std::filesystem::path> files) {
  if (reader_ && files == files_) {
    last_ = {};  // what an operator asks for is read at once
    return {};
  }
  source_ = {};
  reader_.reset();
  files_ = std::move(files);
  if (files_.empty()) {
    taken_({});
    return {};
  }
  auto reader = DiskReader<Book>::create([files = files_] { return read_promise_files(files); },
                                         [](const std::string& why) {
                                           return Book(Unexpected(Error{Errc::exhausted, why}));
                                         });
  if (!reader) return Unexpected(reader.error());
  reader_.emplace(std::move(*reader));
  auto source = loop_.on_readable(reader_->event_fd(), [this] { on_read(); });
  if (!source) return Unexpected(source.error());
  source_ = std::move(*source);
  last_ = {};
  return {};
}

void PromiseWatch::tick(SteadyTime now) {
  if (!reader_ || now - last_ < kReadEvery) return;
  last_ = now;
  reader_->request();
}

void PromiseWatch::on_read() {
  auto book = reader_->take();
  if (!book) return;
  const std::string flaw = *book ? "" : book->error().message;
  if (flaw != flaw_) {
    if (flaw.empty()) {
      logger_.info("the promises files are right again");
    } else {
      logger_.error("promises are not taken over, those before hold", {{"error", flaw}});
    }
    flaw_ = flaw;
  }
  if (!*book) return;
  if (taken_book_ != **book) {
    logger_.info("promises are taken over", {{"volumes", std::to_string((*book)->size())}});
    taken_book_ = **book;
  }
  taken_(**std::move(book));
}

}  // namespace storage_probe::service
