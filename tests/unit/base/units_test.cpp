// SPDX-License-Identifier: Apache-2.0
#include "base/units.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/hash.h"

namespace storage_probe {
namespace {

using namespace std::chrono_literals;

TEST(ParseBytes, KeepsDecimalAndBinaryUnitsApart) {
  EXPECT_EQ(*parse_bytes("512B"), Bytes{512});
  EXPECT_EQ(*parse_bytes("4KiB"), Bytes{4096});
  EXPECT_EQ(*parse_bytes("4kB"), Bytes{4000});
  EXPECT_EQ(*parse_bytes("20GiB"), Bytes{20 * kGiB.value});
  EXPECT_EQ(*parse_bytes("1.5GB"), Bytes{1'500'000'000});
  EXPECT_EQ(*parse_bytes("1TiB"), Bytes{1024 * kGiB.value});
  EXPECT_EQ(*parse_bytes("0.5KiB"), Bytes{512});
}

TEST(ParseDuration, AddsPartsUp) {
  EXPECT_EQ(*parse_duration("500ms"), 500ms);
  EXPECT_EQ(*parse_duration("10s"), 10s);
  EXPECT_EQ(*parse_duration("1h30m"), 90min);
  EXPECT_EQ(*parse_duration("2d"), 48h);
  EXPECT_EQ(*parse_duration("1m0.5s"), 60'500ms);
  EXPECT_EQ(*parse_duration("3us7ns"), 3007ns);
  EXPECT_EQ(*parse_duration("0s"), 0s);
}

TEST(ParseCount, TakesPowersOfAThousand) {
  EXPECT_EQ(*parse_count("50000"), Ops{50'000});
  EXPECT_EQ(*parse_count("4k"), Ops{4'000});
  EXPECT_EQ(*parse_count("1.5M"), Ops{1'500'000});
}

TEST(ParseByteRate, TakesBytesAndBits) {
  EXPECT_DOUBLE_EQ(*parse_byte_rate("125MiB/s"), 125.0 * 1024 * 1024);
  EXPECT_DOUBLE_EQ(*parse_byte_rate("593.75MB/s"), 593.75e6);
  EXPECT_DOUBLE_EQ(*parse_byte_rate("4750Mbit/s"), 593.75e6);
  EXPECT_DOUBLE_EQ(*parse_byte_rate("1Gbit/s"), 125e6);
  EXPECT_DOUBLE_EQ(*parse_byte_rate("0.1B/s"), 0.1);
}

TEST(ParsePercent, GivesARatio) {
  EXPECT_DOUBLE_EQ(*parse_percent("1%"), 0.01);
  EXPECT_DOUBLE_EQ(*parse_percent("99.9%"), 0.999);
  EXPECT_DOUBLE_EQ(*parse_percent("0%"), 0);
}

struct Bad {
  std::string text;
  std::string message;
};

TEST(ParseBytes, SaysWhatToWrite) {
  const std::vector<Bad> table{
      {"30", "\"30\" needs a unit: 30KiB, 30MiB or 30GiB"},
      {"512", "\"512\" needs a unit: 512B"},
      {"0", "\"0\" needs a unit, and more than none: as in 4KiB"},
      {"4096", "\"4096\" needs a unit: 4096B or 4KiB"},
      {"0.5", "\"0.5\" needs a unit: 0.5KiB, 0.5MiB or 0.5GiB"},
      {"", "\"\" must begin with a digit"},
      {"-4KiB", "\"-4KiB\" must not be negative"},
      {"+4KiB", "\"+4KiB\" must begin with a digit"},
      {".5KiB", "\".5KiB\" must begin with a digit"},
      {"5.KiB", "\"5.KiB\" has a point without digits after it"},
      {"5.", "\"5.\" has a point without digits after it"},
      {"4KB", "\"4KB\" is ambiguous: kB is 1000 bytes, KiB is 1024 bytes"},
      {"4 KiB",
       "\"4 KiB\" has an unknown unit \" KiB\": use B, kB, MB, GB or TB, or KiB, MiB, GiB or TiB"},
      {"4M", "\"4M\" has an unknown unit \"M\": use B, kB, MB, GB or TB, or KiB, MiB, GiB or TiB"},
      {"1e3B",
       "\"1e3B\" has an unknown unit \"e3B\": use B, kB, MB, GB or TB, or KiB, MiB, GiB or TiB"},
      {"1.5B", "\"1.5B\" is not a whole number of bytes"},
      {"0.1KiB", "\"0.1KiB\" is not a whole number of bytes"},
      {"8388608TiB", "\"8388608TiB\" is too large"},
      {"99999999999999999999B", "\"99999999999999999999B\" has too many digits"},
  };
  for (const Bad& bad : table) {
    const auto result = parse_bytes(bad.text);
    ASSERT_FALSE(result) << bad.text;
    EXPECT_EQ(result.error().message, bad.message);
    EXPECT_EQ(result.error().code, Errc::invalid);
  }
}

TEST(ParseDuration, SaysWhatToWrite) {
  const std::vector<Bad> table{
      {"30", "\"30\" needs a unit: 30s, 30m or 30h"},
      {"1h30", "\"1h30\" needs a unit: 1h30s, 1h30m or 1h30h"},
      {"", "\"\" must begin with a digit"},
      {"-1s", "\"-1s\" must not be negative"},
      {"5min", "\"5min\" has an unknown unit \"min\": use ns, us, ms, s, m, h or d"},
      {"1h ", "\"1h \" has an unknown unit \"h \": use ns, us, ms, s, m, h or d"},
      {"30m1h", "\"30m1h\" must name its larger units first"},
      {"1h1h", "\"1h1h\" must name its larger units first"},
      {"1.5h30m", "\"1.5h30m\" may have a fraction in its last part only"},
      {"0.5ns", "\"0.5ns\" is not a whole number of nanoseconds"},
      {"110000d", "\"110000d\" is too large"},
      {"106751d24h", "\"106751d24h\" is too large"},
  };
  for (const Bad& bad : table) {
    const auto result = parse_duration(bad.text);
    ASSERT_FALSE(result) << bad.text;
    EXPECT_EQ(result.error().message, bad.message);
  }
}

TEST(ParseOthers, SayWhatToWrite) {
  EXPECT_EQ(parse_count("5K").error().message,
            "\"5K\" has an unknown unit \"K\": use k, M, G or T, or none");
  EXPECT_EQ(parse_count("1.5").error().message, "\"1.5\" is not a whole number");
  EXPECT_EQ(parse_byte_rate("125").error().message,
            "\"125\" needs a unit: 125MiB/s, 125MB/s or 125Mbit/s");
  EXPECT_EQ(parse_byte_rate("5KB/s").error().message,
            "\"5KB/s\" is ambiguous: kB/s is 1000 bytes, KiB/s is 1024 bytes");
  EXPECT_EQ(parse_byte_rate("5Mb/s").error().message,
            "\"5Mb/s\" has an unknown unit \"Mb/s\": use B/s, kB/s, MB/s, GB/s, KiB/s, MiB/s, "
            "GiB/s, Mbit/s or Gbit/s");
  EXPECT_EQ(parse_percent("5").error().message, "\"5\" needs a percent sign, as in 50%");
  EXPECT_EQ(parse_percent("5pct").error().message, "\"5pct\" has an unknown unit \"pct\": use %");
}

TEST(ParseBytes, ShortensAHostileTextInItsMessage) {
  EXPECT_LT(parse_bytes(std::string(100'000, 'x')).error().message.size(), 100U);
  EXPECT_LT(parse_bytes("1" + std::string(100'000, 'x')).error().message.size(), 250U);
  EXPECT_LT(parse_bytes(std::string(100'000, '1')).error().message.size(), 100U);
}

TEST(ToText, IsShortAndExact) {
  EXPECT_EQ(to_text(Bytes{0}), "0B");
  EXPECT_EQ(to_text(Bytes{4096}), "4KiB");
  EXPECT_EQ(to_text(Bytes{1536 * 1024}), "1536KiB");
  EXPECT_EQ(to_text(Bytes{1001}), "1001B");
  EXPECT_EQ(to_text(Bytes{500'000'000'000}), "500GB");
  EXPECT_EQ(to_text(Duration{}), "0s");
  EXPECT_EQ(to_text(Duration(500ms)), "500ms");
  EXPECT_EQ(to_text(Duration(90s)), "1m30s");
  EXPECT_EQ(to_text(Duration(2h)), "2h");
  EXPECT_EQ(to_text(Duration(26h)), "1d2h");
  EXPECT_EQ(to_text(Duration(3605s)), "60m5s");
  EXPECT_EQ(to_text(Duration(-90s)), "-1m30s");
  EXPECT_EQ(to_text(Duration::min()), "-9223372036854775us808ns");
}

TEST(ToText, IsReadBackUnchanged) {
  Random random(7);
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t value = random.next() >> (1 + random.below(62));
    const Bytes bytes{value << random.below(10)};
    if (bytes.value < (1ULL << 59U)) {
      ASSERT_EQ(*parse_bytes(to_text(bytes)), bytes) << bytes.value;
    }
    const Duration duration(static_cast<std::int64_t>(value >> 4U));
    ASSERT_EQ(*parse_duration(to_text(duration)), duration) << duration.count();
  }
}

TEST(Human, HasThreeDigits) {
  EXPECT_EQ(human_count(0), "0");
  EXPECT_EQ(human_count(12), "12");
  EXPECT_EQ(human_count(3019.6), "3.02k");
  EXPECT_EQ(human_count(999.6), "1k");
  EXPECT_EQ(human_count(1e18), "1000000T");
  EXPECT_EQ(human_byte_rate(118.2 * 1024 * 1024), "118 MiB/s");
  EXPECT_EQ(human_bytes(Bytes{1023 * 1024}), "1023 KiB");
  EXPECT_EQ(human_bytes(Bytes{512}), "512 B");
  EXPECT_EQ(human_duration(245us), "245 us");
  EXPECT_EQ(human_duration(90s), "1.5 min");
  EXPECT_EQ(human_duration(Duration{}), "0 ns");
}

TEST(Human, SurvivesWhatIsNoNumber) {
  EXPECT_EQ(human_count(INFINITY), "infT");
  EXPECT_EQ(human_count(NAN), "nan");
}

TEST(Count, NeverGoesBelowZero) {
  EXPECT_EQ(Bytes{3} - Bytes{5}, Bytes{0});
  EXPECT_EQ(Ops{5} - Ops{3}, Ops{2});
}

TEST(FromSeconds, RoundsToTheNearestNanosecond) {
  EXPECT_EQ(from_seconds(1.5), 1500ms);
  EXPECT_EQ(from_seconds(0.1), 100ms);
  EXPECT_EQ(from_seconds(-1e-9), -1ns);
}

}  // namespace
}  // namespace storage_probe
