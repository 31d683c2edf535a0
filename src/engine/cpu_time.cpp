// SPDX-License-Identifier: Apache-2.0
#include "engine/cpu_time.h"

#include <sys/resource.h>

#include <chrono>

namespace storage_probe::engine {
namespace {

Duration duration_of(const timeval& time) {
  return std::chrono::seconds{time.tv_sec} + std::chrono::microseconds{time.tv_usec};
}

CpuTime used_by(int who) {
  rusage usage{};
  ::getrusage(who, &usage);
  return {duration_of(usage.ru_utime), duration_of(usage.ru_stime)};
}

}  // namespace

CpuTime CpuTime::now() { return used_by(RUSAGE_SELF); }

CpuTime CpuTime::of_this_thread() { return used_by(RUSAGE_THREAD); }

}  // namespace storage_probe::engine
