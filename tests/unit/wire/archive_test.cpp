// SPDX-License-Identifier: Apache-2.0
#include "wire/archive.h"

#include <gtest/gtest.h>

namespace storage_probe::wire {
namespace {

struct Sample {
  std::uint8_t small = 0;
  double real = 0;
  std::optional<std::string> text;
};
template <typename Archive>
void fields(Archive& archive, Sample& sample) {
  archive("small", sample.small);
  archive("real", sample.real);
  archive("text", sample.text);
}

std::string refusal(std::string_view text) {
  Sample sample;
  const auto json = parse_json(text);
  if (!json) return "not JSON";
  const auto read = Reader::from_json(*json, sample);
  return read ? "" : read.error().message;
}

TEST(Archive, ReadsWhatItWrites) {
  Sample out{200, 0.1, "text"};
  Sample in;
  ASSERT_TRUE(Reader::from_json(Writer::to_json(out), in));
  EXPECT_EQ(in.small, 200);
  EXPECT_EQ(in.real, 0.1);
  EXPECT_EQ(in.text, "text");
}

TEST(Archive, KeepsBytesThatAreNoUtf8) {
  for (const std::string text : {"", "a", "\xff", "caf\xe9/x", "\xc3\xa9", "\"\n\t"}) {
    const std::string dumped = text_to_json(text).dump();  // must not throw
    EXPECT_EQ(*text_from_json(*parse_json(dumped)), text);
  }
}

TEST(Archive, SaysWhatItRefuses) {
  EXPECT_EQ(refusal(R"({"small": 1, "real": 2})"), "");
  EXPECT_EQ(refusal("[]"), "not an object");
  EXPECT_EQ(refusal(R"({"small": 1})"), "no real");
  EXPECT_EQ(refusal(R"({"small": 256, "real": 2})"), "small: out of range");
  EXPECT_EQ(refusal(R"({"small": -1, "real": 2})"), "small: out of range");
  EXPECT_EQ(refusal(R"({"small": 1.5, "real": 2})"), "small: not an integer");
  EXPECT_EQ(refusal(R"({"small": 1, "real": null})"), "real: not a number");
  EXPECT_EQ(refusal(R"({"small": 1, "real": 1e999})"), "not JSON");
  EXPECT_EQ(refusal(R"({"small": 1, "real": 2, "text": 3})"), "text: not a text");
  EXPECT_EQ(refusal(R"({"small": 1, "real": 2, "text": [256]})"), "text: not a text");
  EXPECT_EQ(refusal(R"({"small": 1, "real": 2, "more": 3})"), "unknown key");
}

}  // namespace
}  // namespace storage_probe::wire
