// SPDX-License-Identifier: Apache-2.0
#include "engine/space.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support/checked_directory.h"
#include "support/in_child.h"
#include "support/temp_dir.h"

namespace storage_probe::engine {
namespace {

constexpr Bytes mib(std::uint64_t n) { return {n * kMiB.value}; }

TEST(SizeToLayOut, IsTheConfiguredOneInWholeBlocks) {
  const test::TempDir dir;
  const auto directory = test::checked(dir.path());
  EXPECT_EQ(*size_to_lay_out(directory, test::request(Bytes{mib(1).value + 100000})),
            Bytes{mib(1).value + 65536});
  EXPECT_EQ(*size_to_lay_out(directory, test::request(Bytes{1})), Bytes{128 * 1024});
}

TEST(SizeToLayOut, SaysHowMuchSpaceIsMissing) {
  const test::TempDir dir;
  const auto size = size_to_lay_out(test::checked(dir.path()), test::request(Bytes{1ULL << 55U}));
  ASSERT_FALSE(size);
  EXPECT_EQ(size.failure().code, "no_space");
  EXPECT_NE(size.failure().message.find("are needed"), std::string::npos);
}

TEST(SizeToLayOut, CountsWhatIsThereAlreadyAsFree) {
  const test::TempDir dir;
  const auto directory = test::checked(dir.path());
  const Bytes more = read_space(directory)->available + mib(1024);
  EXPECT_FALSE(size_to_lay_out(directory, test::request(more)));
  EXPECT_TRUE(size_to_lay_out(directory, test::request(more), mib(1024 + 64)));
}

TEST(CheckFileLimit, RefusesAFileThatThisProcessMayNotWrite) {
  const std::string said = test::in_child([] {
    const rlimit limit{mib(2).value, mib(2).value};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const auto failure = check_file_limit(mib(3));
    return check_file_limit(mib(2)) || !failure ? "wrong" : failure->code + ": " + failure->message;
  });
  EXPECT_EQ(said,
            "no_space: a probe file of 3 MiB is larger than the 2 MiB that a file of this process "
            "may have (ulimit -f, LimitFSIZE): raise that, or set a smaller file.size");
}

TEST(IsSizeWanted, ComparesAConfiguredSizeExactly) {
  const test::TempDir dir;
  const auto directory = test::checked(dir.path());
  EXPECT_TRUE(*is_size_wanted(directory, test::request(mib(2)), mib(2)));
  EXPECT_FALSE(*is_size_wanted(directory, test::request(mib(2)), mib(3)));
}

TEST(IsSizeWanted, LetsADefaultSizeBeRoughlyRight) {
  const test::TempDir dir;
  const auto directory = test::checked(dir.path());
  FileRequest automatic = test::request(Bytes{});
  automatic.spec.size.reset();
  const auto wanted = size_to_lay_out(directory, automatic);
  if (!wanted) GTEST_SKIP() << "no space here";
  EXPECT_TRUE(*is_size_wanted(directory, automatic, *wanted));
  EXPECT_TRUE(*is_size_wanted(directory, automatic, {wanted->value * 3 / 2}));
  EXPECT_FALSE(*is_size_wanted(directory, automatic, {wanted->value * 3}));
  EXPECT_FALSE(*is_size_wanted(directory, automatic, {wanted->value / 3}));
}

}  // namespace
}  // namespace storage_probe::engine
