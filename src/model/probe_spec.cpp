// SPDX-License-Identifier: Apache-2.0
#include "model/probe_spec.h"

#include <algorithm>

namespace storage_probe {
namespace {

constexpr Usage kCapacityLimits{std::chrono::seconds(2), Bytes{256 * kMiB.value}, Ops{50'000}};

ProbeSpec latency(std::string_view name, unsigned read_percent) {
  ProbeSpec spec;
  spec.name = name;
  spec.kind = Kind::latency;
  spec.read_percent = read_percent;
  spec.limits.time = std::chrono::seconds(10);
  return spec;
}

ProbeSpec random_capacity(std::string_view name, unsigned read_percent) {
  ProbeSpec spec;
  spec.name = name;
  spec.read_percent = read_percent;
  spec.limits = kCapacityLimits;
  return spec;
}

ProbeSpec sequential_capacity(std::string_view name, unsigned read_percent) {
  ProbeSpec spec = random_capacity(name, read_percent);
  spec.pattern = Pattern::sequential;
  spec.block_size = Bytes{256 * kKiB.value};
  spec.queue_depth = 4;
  return spec;
}

const std::array<ProbeSpec, 7>& presets() {
  static const std::array<ProbeSpec, 7> table{
      latency("latency", 100),
      latency("latency-write", 0),
      random_capacity("randread", 100),
      random_capacity("randwrite", 0),
      random_capacity("randrw", 75),
      sequential_capacity("seqread", 100),
      sequential_capacity("seqwrite", 0),
  };
  return table;
}

}  // namespace

std::string_view to_text(Operation operation) {
  switch (operation) {
    case Operation::read:
      return "read";
    case Operation::write:
      return "write";
    case Operation::fsync:
      return "fsync";
  }
  return "unknown";
}

std::string_view to_text(Pattern pattern) {
  switch (pattern) {
    case Pattern::random:
      return "random";
    case Pattern::sequential:
      return "sequential";
  }
  return "unknown";
}

std::string_view to_text(Kind kind) {
  switch (kind) {
    case Kind::latency:
      return "latency";
    case Kind::capacity:
      return "capacity";
  }
  return "unknown";
}

std::string_view to_text(Engine engine) {
  switch (engine) {
    case Engine::automatic:
      return "auto";
    case Engine::io_uring:
      return "io_uring";
    case Engine::threads:
      return "threads";
  }
  return "unknown";
}

Usage& Usage::operator+=(const Usage& other) {
  time += other.time;
  bytes += other.bytes;
  ops += other.ops;
  return *this;
}

const ProbeSpec* find_preset(std::string_view name) {
  for (const ProbeSpec& preset : presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

std::array<std::string_view, 7> preset_names() {
  std::array<std::string_view, 7> names{};
  std::transform(presets().begin(), presets().end(), names.begin(),
                 [](const ProbeSpec& preset) { return std::string_view(preset.name); });
  return names;
}

}  // namespace storage_probe
