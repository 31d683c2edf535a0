// SPDX-License-Identifier: Apache-2.0
// The fields of what more than one kind of line holds. Private to this room.
#pragma once

#include "model/probe_spec.h"
#include "model/promise.h"
#include "wire/archive.h"

namespace storage_probe::wire {

template <>
inline constexpr Pattern kLast<Pattern> = Pattern::sequential;
template <>
inline constexpr Kind kLast<Kind> = Kind::capacity;
template <>
inline constexpr Engine kLast<Engine> = Engine::threads;

template <typename Archive>
void fields(Archive& archive, Usage& usage) {
  archive("time", usage.time);
  archive("bytes", usage.bytes);
  archive("ops", usage.ops);
}

template <typename Archive>
void fields(Archive& archive, ProbeSpec& spec) {
  archive("name", spec.name);
  archive("kind", spec.kind);
  archive("pattern", spec.pattern);
  archive("read_percent", spec.read_percent);
  archive("block_size", spec.block_size);
  archive("queue_depth", spec.queue_depth);
  archive("rings", spec.rings);
  archive("rate", spec.rate);
  archive("fsync_every", spec.fsync_every);
  archive("limits", spec.limits);
  archive("stop_early", spec.stop_early);
  archive("verify", spec.verify);
}

template <typename Archive>
void fields(Archive& archive, Promise& promise) {
  archive("iops", promise.iops);
  archive("throughput", promise.throughput);
  archive("read_iops", promise.read_iops);
  archive("write_iops", promise.write_iops);
  archive("read_throughput", promise.read_throughput);
  archive("write_throughput", promise.write_throughput);
  archive("from", promise.from);
}

}  // namespace storage_probe::wire
