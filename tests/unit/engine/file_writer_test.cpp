// SPDX-License-Identifier: Apache-2.0
#include "engine/file_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <vector>

#include "support/direct_file.h"
#include "support/files.h"

namespace storage_probe::engine {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using test::DirectFile;

constexpr Bytes kAlignment{4096};
constexpr Bytes kSize{3 * kMiB.value + 8192};

class FileWriterTest : public ::testing::Test {
 protected:
  FileWriterTest() : file_(0) {}
  void SetUp() override {
    if (file_.fd() < 0) GTEST_SKIP() << "no direct I/O here";
  }

  FileWriter writer(const LayoutOptions& options, Bytes size = kSize) const {
    return {{file_.fd(), "/data/file", "ext4"}, {size, 42, "host"}, options};
  }
  std::string stopped_by(FileWriter& subject, Bytes from = {}) const {
    if (const auto failure = subject.write(kAlignment, from)) return failure->code;
    const std::string text = test::read_whole(file_.path());
    const auto header = decode_header(std::as_bytes(std::span(text)));
    if (std::get<ProbeHeader>(header) != subject.header()) return "another header";
    switch (subject.stopped_by()) {
      case FileWriter::Stop::complete:
        return "complete";
      case FileWriter::Stop::allowance:
        return "allowance";
      case FileWriter::Stop::called_off:
        return "called off";
    }
    return "nothing";
  }

  DirectFile file_;
};

TEST_F(FileWriterTest, WritesAHeaderAndAllData) {
  const LayoutOptions options{};
  ASSERT_FALSE(writer(options).write(kAlignment, {}));
  const std::string text = test::read_whole(file_.path());
  ASSERT_EQ(text.size(), kSize.value);
  const auto header = decode_header(std::as_bytes(std::span(text)));
  ASSERT_TRUE(std::holds_alternative<ProbeHeader>(header));
  EXPECT_EQ(std::get<ProbeHeader>(header), (ProbeHeader{kSize, 42, "host"}));
}

TEST_F(FileWriterTest, WritesNoTwoBlocksAlike) {
  const LayoutOptions options{};
  ASSERT_FALSE(writer(options).write(kAlignment, {}));
  const std::string text = test::read_whole(file_.path());
  std::set<std::string> blocks;
  for (std::size_t at = 4096; at < text.size(); at += 4096) blocks.insert(text.substr(at, 4096));
  EXPECT_EQ(blocks.size(), kSize.value / 4096 - 1);
}

TEST_F(FileWriterTest, WritesDataThatDoNotCompress) {
  const LayoutOptions options{};
  ASSERT_FALSE(writer(options).write(kAlignment, {}));
  const std::string text = test::read_whole(file_.path()).substr(4096);
  uLongf length = compressBound(text.size());
  std::vector<Bytef> packed(length);
  ASSERT_EQ(compress2(packed.data(), &length, reinterpret_cast<const Bytef*>(text.data()),
                      text.size(), 6),
            Z_OK);
  EXPECT_GT(length, text.size() * 99 / 100);
}

TEST_F(FileWriterTest, CountsWhatItSpends) {
  const LayoutOptions options{};
  FileWriter subject = writer(options);
  ASSERT_FALSE(subject.write(kAlignment, {}));
  // The data, the header, and the block of the round trip.
  EXPECT_EQ(subject.spent()[Operation::write].bytes, kSize + kAlignment);
  EXPECT_EQ(subject.spent()[Operation::read].bytes, kAlignment);
  EXPECT_EQ(subject.spent()[Operation::fsync].ops, Ops{2});
  EXPECT_GE(subject.spent()[Operation::write].ops, Ops{5});
}

TEST_F(FileWriterTest, KeepsToTheRate) {
  LayoutOptions options{};
  options.rate = 8.0 * static_cast<double>(kMiB.value);
  const auto start = Clock::now();
  ASSERT_FALSE(writer(options, {4 * kMiB.value}).write(kAlignment, {}));
  const auto took = Clock::now() - start;
  // The first of four chunks goes at once.
  EXPECT_GE(took, 350ms);
}

TEST_F(FileWriterTest, SaysHowFarItIs) {
  LayoutOptions options{};
  options.rate = 4.0 * static_cast<double>(kMiB.value);
  std::vector<double> told;
  std::vector<Clock::time_point> times;
  options.on_progress = [&](double done) {
    told.push_back(done);
    times.push_back(Clock::now());
    return Pace::go_on;
  };
  ASSERT_FALSE(writer(options).write(kAlignment, {}));
  ASSERT_GE(told.size(), 4U);
  EXPECT_LT(told.front(), 0.1);
  EXPECT_EQ(told.back(), 1.0);
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  for (std::size_t i = 1; i < times.size(); ++i) EXPECT_LT(times[i] - times[i - 1], 1s);
}

TEST_F(FileWriterTest, WaitsWhileItIsTold) {
  LayoutOptions options{};
  int asked = 0;
  std::uintmax_t bytes_while_waiting = 0;
  options.on_progress = [&](double) {
    bytes_while_waiting =
        std::max(bytes_while_waiting, asked < 3 ? std::filesystem::file_size(file_.path()) : 0);
    return ++asked > 3 ? Pace::go_on : Pace::wait;
  };
  ASSERT_FALSE(writer(options).write(kAlignment, {}));
  EXPECT_LE(bytes_while_waiting, 8192U);  // the round trip
  EXPECT_GE(asked, 5);
}

TEST_F(FileWriterTest, StopsWhenItIsTold) {
  LayoutOptions options{};
  options.on_progress = [](double) { return Pace::stop; };
  FileWriter subject = writer(options);
  const auto failure = subject.write(kAlignment, {});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "preparing");
  EXPECT_EQ(subject.spent()[Operation::write].bytes, kAlignment);
}

TEST_F(FileWriterTest, KeepsWhatItHasWhenItIsStoppedOnItsWay) {
  LayoutOptions options{};
  options.rate = 2.0 * static_cast<double>(kMiB.value);
  int asked = 0;
  options.on_progress = [&](double) { return ++asked > 2 ? Pace::stop : Pace::go_on; };
  FileWriter subject = writer(options);
  EXPECT_EQ(stopped_by(subject), "called off");
  EXPECT_FALSE(subject.header().is_complete);
  EXPECT_EQ(std::filesystem::file_size(file_.path()), subject.header().size.value);
}

TEST_F(FileWriterTest, StaysWithinItsBytes) {
  LayoutOptions options{};
  options.allowance.bytes = Bytes{2 * kMiB.value};
  FileWriter subject = writer(options);
  EXPECT_EQ(stopped_by(subject), "allowance");
  EXPECT_GT(subject.header().size, kMiB);
  Usage spent;
  for (const Operation operation : kOperations) spent += subject.spent()[operation];
  EXPECT_LE(spent.bytes, options.allowance.bytes);
}

TEST_F(FileWriterTest, StaysWithinItsOperations) {
  LayoutOptions options{};
  options.allowance.ops = Ops{7};
  FileWriter subject = writer(options);
  EXPECT_EQ(stopped_by(subject), "allowance");
  Usage spent;
  for (const Operation operation : kOperations) spent += subject.spent()[operation];
  EXPECT_EQ(spent.ops, options.allowance.ops);
}

TEST_F(FileWriterTest, BeginsNothingWithoutTime) {
  LayoutOptions options{};
  options.allowance.time = 1ns;
  FileWriter subject = writer(options);
  EXPECT_EQ(stopped_by(subject), "preparing");
  EXPECT_EQ(subject.stopped_by(), FileWriter::Stop::allowance);
}

TEST_F(FileWriterTest, AddsToWhatIsThere) {
  LayoutOptions options{};
  options.allowance.bytes = kMiB;
  FileWriter first = writer(options);
  ASSERT_EQ(stopped_by(first), "allowance");
  const std::string before = test::read_whole(file_.path());
  const LayoutOptions unlimited{};
  FileWriter second = writer(unlimited);
  EXPECT_EQ(stopped_by(second, first.header().size), "complete");
  const std::string after = test::read_whole(file_.path());
  EXPECT_EQ(after.size(), kSize.value);
  EXPECT_EQ(after.substr(4096, before.size() - 4096), before.substr(4096));
  EXPECT_LT(second.spent()[Operation::write].bytes, kSize);
}

TEST_F(FileWriterTest, CutsWhatIsBeyondTheWantedSize) {
  const LayoutOptions options{};
  ASSERT_FALSE(writer(options).write(kAlignment, {}));
  FileWriter subject = writer(options, kMiB);
  EXPECT_EQ(stopped_by(subject, kMiB), "complete");
  EXPECT_EQ(subject.spent()[Operation::write].bytes, kAlignment);
  EXPECT_EQ(std::filesystem::file_size(file_.path()), kMiB.value);
}

TEST_F(FileWriterTest, SaysWhatFailed) {
  const LayoutOptions options{};
  const UniqueFd reading(::open(file_.path().c_str(), O_RDONLY | O_DIRECT));
  FileWriter subject({reading.get(), "/data/file", "ext4"}, {kSize, 42, "host"}, options);
  const auto failure = subject.write(kAlignment, {});
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->code, "io_error");
  EXPECT_EQ(failure->message, "the first write of /data/file: Bad file descriptor");
}

TEST_F(FileWriterTest, TakesAWholeBlockOfALargeAlignmentForTheHeader) {
  const LayoutOptions options{};
  ASSERT_FALSE(writer(options, kMiB).write(Bytes{16384}, {}));
  const std::string text = test::read_whole(file_.path());
  EXPECT_EQ(text.substr(4096, 12288), std::string(12288, '\0'));
  EXPECT_NE(text.substr(16384, 4096), std::string(4096, '\0'));
}

}  // namespace
}  // namespace storage_probe::engine
