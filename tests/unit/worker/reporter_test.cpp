// SPDX-License-Identifier: Apache-2.0
#include "worker/reporter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>

#include "base/unique_fd.h"
#include "wire/report.h"

namespace storage_probe::worker {
namespace {

using std::chrono::seconds;

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    read_end = UniqueFd(ends[0]);
    write_end = UniqueFd(ends[1]);
  }
  std::string read() const {
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(read_end.get(), buffer.data(), buffer.size());
    return std::string(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  UniqueFd read_end, write_end;
};

TEST(Reporter, WritesALineAtATime) {
  const Pipe pipe;
  Reporter reporter(pipe.write_end.get(), seconds{2});
  reporter.enter(Phase::preflight);
  EXPECT_EQ(pipe.read(), wire::encode(Progress{Phase::preflight, 0, {}, 0}));
  reporter.finish(ProbeReport{});
  EXPECT_EQ(pipe.read(), wire::encode(ProbeReport{}));
  ::alarm(0);
}

TEST(Reporter, SetsAnAlarmThatLeavesTimeToMeasure) {
  const Pipe pipe;
  Reporter reporter(pipe.write_end.get(), seconds{100});
  reporter.enter(Phase::open);
  EXPECT_LE(::alarm(0), 30U);
  reporter.enter(Phase::measure);
  EXPECT_GT(::alarm(0), 100U);
}

TEST(ReporterDeathTest, EndsQuietlyWhenNobodyReads) {
  EXPECT_EXIT(
      {
        ::signal(SIGPIPE, SIG_IGN);
        Pipe pipe;
        pipe.read_end.reset();
        Reporter(pipe.write_end.get(), seconds{1}).enter(Phase::open);
      },
      testing::ExitedWithCode(1), "^$");
}

}  // namespace
}  // namespace storage_probe::worker
