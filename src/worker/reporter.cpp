// SPDX-License-Identifier: Apache-2.0
#include "worker/reporter.h"

#include <unistd.h>

#include <cerrno>

#include "wire/report.h"

namespace storage_probe::worker {
namespace {

// Longer than any deadline of the parent, who decides as long as there is one.
constexpr std::chrono::seconds kPatience{30};

}  // namespace

void Reporter::say(const Progress& progress) const {
  Duration allowed = kPatience;
  if (progress.phase == Phase::measure) allowed += measuring_time_;
  ::alarm(static_cast<unsigned>(std::chrono::ceil<std::chrono::seconds>(allowed).count()));
  write_line(wire::encode(progress));
}

void Reporter::say(const Cleaned& cleaned) const { write_line(wire::encode(cleaned)); }

void Reporter::finish(const ProbeReport& report) const { write_line(wire::encode(report)); }

void Reporter::write_line(std::string_view line) const {
  while (!line.empty()) {
    const ssize_t written = ::write(fd_, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    // Nobody reads: there is nothing left to do, and what is open the kernel cleans up.
    if (written < 0) ::_exit(1);
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace storage_probe::worker
