// SPDX-License-Identifier: Apache-2.0
#include "service/disk_reader.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/config.h"

namespace storage_probe::service {
namespace {

// A disk that answers when it is told to, and counts how often it was asked.
struct SlowDisk {
  std::promise<void> answer;
  std::shared_future<void> answered = answer.get_future().share();
  std::atomic<int> readings = 0;

  config::Loaded read() {
    const int reading = ++readings;
    answered.wait();
    config::Loaded loaded;
    loaded.config.sha256 = std::to_string(reading);
    return loaded;
  }
};

using ConfigReader = DiskReader<config::Loaded>;

config::Loaded nothing(const std::string&) { return {}; }

ConfigReader reader_of(SlowDisk& disk) {
  auto reader = ConfigReader::create([&disk] { return disk.read(); }, nothing);
  if (!reader) throw std::runtime_error(reader.error().message);
  return *std::move(reader);
}

bool has_news(const ConfigReader& reader, int timeout_ms = 10'000) {
  pollfd polled{reader.event_fd(), POLLIN, 0};
  return ::poll(&polled, 1, timeout_ms) == 1;
}

std::string next(ConfigReader& reader) {
  EXPECT_TRUE(has_news(reader));
  const auto loaded = reader.take();
  return loaded ? loaded->config.sha256 : "nothing";
}

TEST(DiskReader, BringsWhatWasReadOnce) {
  SlowDisk disk;
  disk.answer.set_value();
  ConfigReader reader = reader_of(disk);
  EXPECT_FALSE(has_news(reader, 0)) << "nobody asked";
  reader.request();
  EXPECT_EQ(next(reader), "1");
  EXPECT_FALSE(reader.is_reading());
  EXPECT_FALSE(has_news(reader, 0));
  EXPECT_FALSE(reader.take());
}

TEST(DiskReader, DoesNotWaitForTheDisk) {
  SlowDisk disk;
  ConfigReader reader = reader_of(disk);
  reader.request();
  EXPECT_TRUE(reader.is_reading());
  EXPECT_FALSE(reader.take());
  disk.answer.set_value();
  EXPECT_EQ(next(reader), "1");
}

TEST(DiskReader, MakesOneMoreReadingOfAllThatAreAskedForDuringOne) {
  SlowDisk disk;
  ConfigReader reader = reader_of(disk);
  for (int i = 0; i < 5; ++i) reader.request();
  disk.answer.set_value();
  EXPECT_EQ(next(reader), "1");
  EXPECT_TRUE(reader.is_reading());
  EXPECT_EQ(next(reader), "2");
  EXPECT_FALSE(reader.is_reading());
  EXPECT_EQ(disk.readings, 2);
}

TEST(DiskReader, LeavesAThreadThatHangsBehind) {
  auto disk = std::make_shared<SlowDisk>();
  std::promise<void> gone;
  {
    auto reader = ConfigReader::create(
        [disk, gone = std::make_shared<std::promise<void>>(std::move(gone))] {
          const config::Loaded loaded = disk->read();
          gone->set_value();
          return loaded;
        },
        nothing);
    ASSERT_TRUE(reader);
    reader->request();
  }
  EXPECT_EQ(disk->answered.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  disk->answer.set_value();
}

}  // namespace
}  // namespace storage_probe::service
