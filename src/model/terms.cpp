// SPDX-License-Identifier: Apache-2.0
#include "model/terms.h"

#include <algorithm>

namespace storage_probe {
namespace {

void bound(std::optional<double>& figure, const std::optional<double>& limit) {
  if (figure && limit) figure = std::min(*figure, *limit);
}

}  // namespace

Promise Terms::promise() const {
  Promise least = volume;
  for (auto* const figure : {&least.iops, &least.read_iops, &least.write_iops})
    bound(*figure, instance.iops);
  for (auto* const figure : {&least.throughput, &least.read_throughput, &least.write_throughput})
    bound(*figure, instance.throughput);
  return least;
}

}  // namespace storage_probe
