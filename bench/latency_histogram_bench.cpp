// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>

#include "model/latency_histogram.h"

namespace storage_probe {
namespace {

// Latencies as a disk has them, from 10 us to 10 ms; the same in every run.
std::array<Duration, 4096> sample_latencies() {
  std::array<Duration, 4096> latencies{};
  std::uint64_t state = 1;
  for (Duration& latency : latencies) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    latency = std::chrono::microseconds{10} * (1U << (state >> 33U) % 10U);
    latency += std::chrono::nanoseconds{(state >> 43U) % 10'000U};
  }
  return latencies;
}

void record_latency(benchmark::State& state) {
  const auto latencies = sample_latencies();
  LatencyHistogram histogram;
  histogram.reserve();
  std::size_t next = 0;
  for (auto _ : state) {
    histogram.record(latencies[next]);
    next = (next + 1) % latencies.size();
  }
  benchmark::DoNotOptimize(histogram);
}
BENCHMARK(record_latency);

}  // namespace
}  // namespace storage_probe
