// SPDX-License-Identifier: Apache-2.0
#include "engine/direct_io.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "engine/buffer_pool.h"
#include "support/direct_file.h"

namespace storage_probe::engine {
namespace {

using test::DirectFile;

OpenFile as_open(int fd) { return {fd, "/data/file", "ext4"}; }

TEST(DirectIo, GoesThereAndBack) {
  const DirectFile file(16);
  if (file.fd() < 0) GTEST_SKIP() << "no direct I/O here";
  const auto data = BufferPool::create(1, Bytes{4096});
  std::fill(data->slot(0).begin(), data->slot(0).end(), std::byte{7});
  const RoundTrip trip = direct_round_trip(as_open(file.fd()), data->slot(0), 8192);
  EXPECT_FALSE(trip.failure);
  EXPECT_EQ(trip.spent[Operation::write].bytes, Bytes{4096});
  EXPECT_EQ(trip.spent[Operation::read].ops, Ops{1});
}

TEST(DirectIo, NamesTheFirstIoThatIsRefused) {
  const DirectFile file(16);
  if (file.fd() < 0) GTEST_SKIP() << "no direct I/O here";
  const auto data = BufferPool::create(1, Bytes{4096});
  // An offset that no device takes stands for a file system that takes none.
  const RoundTrip trip = direct_round_trip(as_open(file.fd()), data->slot(0), 1);
  ASSERT_TRUE(trip.failure);
  EXPECT_EQ(trip.failure->code, "direct_io_rejected");
  EXPECT_EQ(trip.failure->message,
            "ext4 refuses direct I/O (O_DIRECT) at the first write of /data/file");
  const auto failure = direct_read(as_open(file.fd()), data->slot(0), 1);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "direct_io_rejected");
}

TEST(DirectIo, TakesAShortReadForAnIoError) {
  const DirectFile file(1);
  if (file.fd() < 0) GTEST_SKIP() << "no direct I/O here";
  const auto data = BufferPool::create(1, Bytes{8192});
  for (const std::uint64_t offset : {0U, 4096U}) {
    const auto failure = direct_read(as_open(file.fd()), data->slot(0), offset);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, "io_error");
  }
}

TEST(DirectIo, TakesABadDescriptorForAnIoError) {
  const auto data = BufferPool::create(1, Bytes{4096});
  EXPECT_EQ(direct_round_trip(as_open(-1), data->slot(0), 0).failure->code, "io_error");
}

TEST(DirectIo, AlignsToALogicalBlockAtLeast) {
  const DirectFile file(1);
  if (file.fd() < 0) GTEST_SKIP() << "no direct I/O here";
  const auto alignment = direct_io_alignment(as_open(file.fd()), Bytes{4096});
  ASSERT_TRUE(alignment);
  EXPECT_EQ(alignment->value % 4096, 0U);
}

TEST(DirectIo, AlignsTo4096WhereTheKernelDoesNotSay) {
  EXPECT_EQ(*direct_io_alignment(as_open(-1), Bytes{512}), Bytes{4096});
  EXPECT_EQ(*direct_io_alignment(as_open(-1), Bytes{16384}), Bytes{16384});
}

TEST(DirectIo, FindsWhatWasNeverWritten) {
  const DirectFile file(16);
  if (file.fd() < 0) GTEST_SKIP() << "no direct I/O here";
  EXPECT_FALSE(has_holes(as_open(file.fd()), Bytes{65536}));
  ASSERT_EQ(::ftruncate(file.fd(), 131072), 0);
  EXPECT_FALSE(has_holes(as_open(file.fd()), Bytes{65536}));
  EXPECT_TRUE(has_holes(as_open(file.fd()), Bytes{131072}));
}

TEST(DirectIo, FindsWhatWasOnlyReserved) {
  const DirectFile file(1);
  if (file.fd() < 0 || ::fallocate(file.fd(), 0, 0, 65536) != 0) GTEST_SKIP() << "no fallocate";
  EXPECT_TRUE(has_holes(as_open(file.fd()), Bytes{65536}));
}

TEST(DirectIo, TellsARefusalToOpenFromOtherFailures) {
  EXPECT_EQ(open_failure(EINVAL, as_open(-1)).message,
            "ext4 refuses direct I/O (O_DIRECT) at open of /data/file");
  EXPECT_EQ(open_failure(EIO, as_open(-1)).message, "open /data/file: Input/output error");
  EXPECT_EQ(open_failure(EROFS, as_open(-1)).code, "read_only");
}

}  // namespace
}  // namespace storage_probe::engine
