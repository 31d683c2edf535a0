// SPDX-License-Identifier: Apache-2.0
#include "engine/probe_header.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace storage_probe::engine {
namespace {

const ProbeHeader kHeader{{256 * kMiB.value}, 0x0123456789abcdefU, "00c0ffee00c0ffee"};

TEST(ProbeHeader, ComesBackAsItWentIn) {
  const auto decoded = decode_header(encode_header(kHeader));
  ASSERT_TRUE(std::holds_alternative<ProbeHeader>(decoded));
  EXPECT_EQ(std::get<ProbeHeader>(decoded), kHeader);
}

TEST(ProbeHeader, TellsWhenThereIsMoreToCome) {
  ProbeHeader header = kHeader;
  header.is_complete = false;
  const auto decoded = decode_header(encode_header(header));
  ASSERT_TRUE(std::holds_alternative<ProbeHeader>(decoded));
  EXPECT_EQ(std::get<ProbeHeader>(decoded), header);
}

TEST(ProbeHeader, TellsAPersonWhatTheFileIs) {
  const auto block = encode_header(kHeader);
  const std::string_view text(reinterpret_cast<const char*>(block.data()), block.size());
  EXPECT_NE(text.find("may be removed at any time"), std::string_view::npos);
}

TEST(ProbeHeader, IsRefusedWhenAnyBitOfItFlips) {
  const auto good = encode_header(kHeader);
  for (std::size_t bit = 0; bit < 80 * 8; ++bit) {
    auto bad = good;
    bad[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    EXPECT_TRUE(std::holds_alternative<HeaderFault>(decode_header(bad))) << bit;
  }
}

TEST(ProbeHeader, KnowsANewerVersion) {
  auto block = encode_header(kHeader);
  block[16] = std::byte{2};
  EXPECT_EQ(std::get<HeaderFault>(decode_header(block)), HeaderFault::newer_version);
}

TEST(ProbeHeader, RefusesWhatIsNone) {
  const std::vector<std::byte> zeros(kHeaderBytes);
  EXPECT_EQ(std::get<HeaderFault>(decode_header(zeros)), HeaderFault::foreign);
  const auto good = encode_header(kHeader);
  EXPECT_EQ(std::get<HeaderFault>(decode_header(std::span(good).first(4095))),
            HeaderFault::foreign);
  EXPECT_EQ(std::get<HeaderFault>(decode_header({})), HeaderFault::foreign);
}

TEST(ProbeHeader, CutsAHostIdThatIsTooLong) {
  ProbeHeader header = kHeader;
  header.host_id = std::string(100, 'a');
  const auto decoded = decode_header(encode_header(header));
  ASSERT_TRUE(std::holds_alternative<ProbeHeader>(decoded));
  EXPECT_EQ(std::get<ProbeHeader>(decoded).host_id, std::string(32, 'a'));
}

}  // namespace
}  // namespace storage_probe::engine
