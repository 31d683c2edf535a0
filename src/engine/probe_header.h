// SPDX-License-Identifier: Apache-2.0
// The first block of a probe file, which makes it ours.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>

#include "base/units.h"
#include "model/file_size.h"

namespace storage_probe::engine {

inline constexpr std::size_t kHeaderBytes = kProbeFileHeader.value;
inline constexpr std::uint32_t kHeaderVersion = 1;

struct ProbeHeader {
  Bytes size;               // of what is laid out
  std::uint64_t nonce = 0;  // of this layout; the data differ with it
  std::string host_id;
  bool is_complete = true;  // false: later runs will lay out more

  bool operator==(const ProbeHeader&) const = default;
};

// Why the first bytes of a file are no header of ours. A newer version's is ours, but not to touch.
enum class HeaderFault { foreign, newer_version };

// Little-endian on every machine; the rest of the block tells a person what the file is.
std::array<std::byte, kHeaderBytes> encode_header(const ProbeHeader& header);
std::variant<ProbeHeader, HeaderFault> decode_header(std::span<const std::byte> block);

}  // namespace storage_probe::engine
