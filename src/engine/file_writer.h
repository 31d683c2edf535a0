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

// Writes one file, or the rest of one, and then its header. One use; the file and the options
// outlive it.
class FileWriter {
 public:
  enum class Stop { complete, allowance, called_off };

  // The header says how large the file is to become.
  FileWriter(OpenFile file, ProbeHeader header, const LayoutOptions& options)
      : file_(std::move(file)), header_(std::move(header)), options_(options) {}

  // The data after the first `from` bytes, as far as the allowance goes, then a header of what the
  // file has by then; all synced, and whatever was beyond is cut off. Data before a header are
  // worth nothing: on a failure the file is what it was before, once it is cut to that. The
  // alignment is that of the file.
  std::optional<Failure> write(Bytes alignment, Bytes from);
  Stop stopped_by() const { return stopped_by_; }
  const ProbeHeader& header() const { return header_; }  // as it was written last
  const PerOperation<Usage>& spent() const { return spent_; }

 private:
  std::optional<Failure> prove_direct_io(std::span<std::byte> block, Bytes at);
  std::optional<Failure> write_data(std::span<std::byte> buffer, Bytes from);
  std::optional<Failure> write_fully(std::span<const std::byte> data, std::uint64_t offset);
  std::optional<Failure> write_header(std::span<std::byte> area);
  std::optional<Failure> sync();
  bool ask(double done);
  bool wait_for_turn(Bytes chunk, double done);
  bool can_pay(Bytes chunk) const;
  void fill(std::span<std::byte> chunk, std::uint64_t offset) const;
  Bytes largest_chunk() const;
  double share(std::uint64_t offset) const {
    return static_cast<double>(offset) / static_cast<double>(goal_.value);
  }

  OpenFile file_;
  ProbeHeader header_;
  const LayoutOptions& options_;
  Bytes goal_ = header_.size;
  Bytes alignment_;
  Stop stopped_by_ = Stop::complete;
  PerOperation<Usage> spent_;
  SteadyTime started_{};
  SteadyTime asked_{};  // when progress was told last
  SteadyTime due_{};    // when the rate allows the next chunk
};

}  // namespace storage_probe::engine
