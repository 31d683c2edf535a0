// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/units.h"
#include "engine/checked.h"
#include "engine/direct_io.h"
#include "engine/layout.h"
#include "engine/probe_header.h"
#include "model/probe_spec.h"

namespace storage_probe::engine {

// Writes one file from its first data to its header. One use; the file and the options outlive it.
class FileWriter {
 public:
  FileWriter(OpenFile file, ProbeHeader header, const LayoutOptions& options)
      : file_(std::move(file)), header_(std::move(header)), options_(options) {}

  // Everything, synced. The alignment is that of the file.
  std::optional<Failure> write(Bytes alignment);
  const PerOperation<Usage>& spent() const { return spent_; }

 private:
  std::optional<Failure> write_data(std::span<std::byte> buffer, Bytes from);
  std::optional<Failure> write_fully(std::span<const std::byte> data, std::uint64_t offset);
  std::optional<Failure> write_header(std::span<std::byte> area);
  std::optional<Failure> sync();
  std::optional<Failure> ask(double done);
  std::optional<Failure> wait_for_turn(Bytes chunk, double done);
  void fill(std::span<std::byte> chunk, std::uint64_t offset) const;
  Bytes largest_chunk() const;
  double share(std::uint64_t offset) const {
    return static_cast<double>(offset) / static_cast<double>(header_.size.value);
  }

  OpenFile file_;
  ProbeHeader header_;
  const LayoutOptions& options_;
  Bytes alignment_;
  PerOperation<Usage> spent_;
  SteadyTime asked_{};  // when progress was told last
  SteadyTime due_{};    // when the rate allows the next chunk
};

}  // namespace storage_probe::engine
