// SPDX-License-Identifier: Apache-2.0
#include "worker/io_errors.h"

#include <gtest/gtest.h>

namespace storage_probe::worker {
namespace {

Measurement failed(std::map<std::string, std::uint64_t> errors) {
  Measurement measured;
  measured.used[Operation::write] = {{}, Bytes{100 * 4096}, Ops{99}};
  measured.used[Operation::fsync].ops = Ops{1};
  measured.errors = std::move(errors);
  return measured;
}

std::string told(const std::optional<Failure>& failure) {
  return failure ? failure->code + ": " + failure->message : "";
}

TEST(IoErrors, AreNoFailureWhileTheyAreFew) {
  EXPECT_EQ(told(judge_errors(failed({}), kMiB, kMiB)), "");
  EXPECT_EQ(told(judge_errors(failed({{"EIO", 1}}), kMiB, kMiB)), "");
  EXPECT_EQ(told(judge_errors(failed({{"EIO", 1}}), kMiB, {})), "") << "a device, or gone";
}

TEST(IoErrors, AreNamedAndCounted) {
  EXPECT_EQ(told(judge_errors(failed({{"EIO", 2}, {"other", 1}}), kMiB, kMiB)),
            "io_error: 3 of 100 I/Os failed: 2 EIO, 1 other");
  EXPECT_EQ(told(judge_errors(failed({{"ESTALE", 100}}), kMiB, {})),
            "io_error: 100 of 100 I/Os failed: 100 ESTALE");
}

TEST(IoErrors, StandForTheStateThatMostOfThemMean) {
  for (const auto& [name, code] :
       {std::pair{"ENOSPC", "no_space"}, std::pair{"EDQUOT", "no_space"},
        std::pair{"EROFS", "read_only"}, std::pair{"EPERM", "permission_denied"},
        std::pair{"EREMOTEIO", "io_error"}}) {
    EXPECT_EQ(judge_errors(failed({{"EIO", 1}, {name, 5}}), kMiB, kMiB)->code, code) << name;
  }
}

TEST(IoErrors, OfAFileThatWasCutSaySo) {
  EXPECT_EQ(told(judge_errors(failed({{"EIO", 1}}), kMiB, Bytes{4096})),
            "io_error: the probe file was cut from 1MiB to 4KiB while it was probed: "
            "1 of 100 I/Os failed: 1 EIO");
  EXPECT_EQ(told(judge_errors(failed({}), kMiB, Bytes{4096})), "") << "nothing met its end";
}

TEST(IoErrors, AFailedSyncLosesWhatWasWritten) {
  Measurement measured = failed({{"EIO", 1}});
  measured.fsync_failed = true;
  EXPECT_EQ(told(judge_errors(measured, kMiB, kMiB)), "io_error: 1 of 100 I/Os failed: 1 EIO");
}

}  // namespace
}  // namespace storage_probe::worker
