// SPDX-License-Identifier: Apache-2.0
// What is published about kinds of volumes: how much a volume of a kind delivers, from its size or
// from what was bought, how it bursts, how its I/Os are counted and what they cost. Facts, each row
// with its source and date; the catalogue is data (config/volume-types.yml).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.h"
#include "model/promise.h"
#include "model/terms.h"

namespace storage_probe {

// A figure per second that grows with the volume: base + per_gib x size, within bounds.
struct Line {
  double base = 0;
  double per_gib = 0;
  double least = 0;
  std::optional<double> most;
  Bytes small{};  // a volume up to this size has at most `most_small`
  double most_small = 0;

  bool operator==(const Line&) const = default;
  // Empty where it depends on a size that is not known.
  std::optional<double> at(const std::optional<Bytes>& size) const;
};

// The figures of a promise, each as a line of its own.
struct Lines {
  std::optional<Line> iops, throughput;
  std::optional<Line> read_iops, write_iops, read_throughput, write_throughput;

  bool operator==(const Lines&) const = default;
};

// Throughput that comes with I/Os: so many bytes with each of them, up to `most` a second.
struct BytesPerIo {
  Bytes each{};
  double most = 0;

  bool operator==(const BytesPerIo&) const = default;
};

// Nothing follows from the type: what is said of the volume is all that is known.
struct CustomModel {
  bool operator==(const CustomModel&) const = default;
};

// Chosen when the volume was bought; of two figures one may follow from the other.
struct ProvisionedModel {
  std::vector<BytesPerIo> throughput_of_iops;        // the largest of them
  std::optional<double> iops_of_mib;                 // I/Os per second for each MiB/s
  std::optional<double> most_iops, most_throughput;  // that can be bought

  bool operator==(const ProvisionedModel&) const = default;
};

// From the size, by one line a figure.
struct LinearModel {
  Lines base, burst;
  std::vector<BytesPerIo> throughput_of_iops;

  bool operator==(const LinearModel&) const = default;
};

// From the size, rounded up to the next of a few.
struct TierModel {
  struct Tier {
    std::string name;
    Bytes size{};
    Promise base, burst;

    bool operator==(const Tier&) const = default;
  };
  std::vector<Tier> tiers;  // by size

  bool operator==(const TierModel&) const = default;
};

// From the size and the performance units that were bought for each GB of it.
struct VpuModel {
  struct Level {
    unsigned vpu = 0;
    Line iops, throughput;
    bool confirmed = true;

    bool operator==(const Level&) const = default;
  };
  std::vector<Level> levels;
  std::optional<unsigned> vpu;  // of a type that has one level only

  bool operator==(const VpuModel&) const = default;
};

using Model = std::variant<CustomModel, ProvisionedModel, LinearModel, TierModel, VpuModel>;

// How much a bucket of credits holds: the largest of what is given. Its baseline and burst are
// those of the figure it is about.
struct BucketRule {
  Bucket::Unit unit = Bucket::Unit::ios;
  double credits = 0;
  double credits_per_gib = 0;
  Duration full_burst{};   // lasts so long from full
  Bytes least_charge{};    // of bytes: what an I/O costs at least
  double read_weight = 1;  // of bytes: what a byte read costs

  bool operator==(const BucketRule&) const = default;
};

// What is billed for I/O itself.
struct Price {
  enum class Of { read_bytes, written_bytes, ios, ios_above_baseline };

  Of of = Of::ios;
  double dollars = 0;
  double per = 1;        // so many bytes or I/Os
  Bytes least_charge{};  // of bytes: each I/O counts as so many at least
  Bytes io_unit{};       // of I/Os: a larger one counts as several; 0: never
  std::string region, source, as_of;
  bool confirmed = true;

  bool operator==(const Price&) const = default;
};

struct VolumeType {
  std::string id;        // "aws.gp3"
  std::string provider;  // "aws"; empty for what is nobody's
  std::string source;    // the public document that says it
  std::string as_of;     // "2023-06"
  bool confirmed = true;
  bool is_promised = true;  // false: the provider publishes figures, and owes none of them
  bool is_hdd = false;
  Bytes least_size{}, largest_size{};  // 0: not known
  Bytes io_cap{};                      // an I/O larger than this counts as several; 0: never
  double threshold = 0.9;
  std::optional<double> objective;
  Promise client;  // what one host may draw from it
  Model model;
  std::vector<BucketRule> buckets;
  std::vector<Price> prices;

  bool operator==(const VolumeType&) const = default;
};

using Catalogue = std::vector<VolumeType>;

// Null when there is none of that id.
const VolumeType* find_type(const Catalogue& catalogue, std::string_view id);

}  // namespace storage_probe
