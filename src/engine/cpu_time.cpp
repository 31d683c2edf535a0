// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu_time.h"

#include <sys/resource.h>

#include <chrono>

namespace storage_probe::engine {
namespace {

Duration duration_of(const timeval& time) {
  return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
}

}  // namespace

CpuTime CpuTime::now() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {duration_of(usage.ru_utime), duration_of(usage.ru_stime)};
}

}  // namespace storage_probe::engine
