// SPDX-License-Identifier: Apache-2.0
#include "model/volume_type.h"

#include <algorithm>

namespace storage_probe {

std::optional<double> Line::at(const std::optional<Bytes>& size) const {
  if (!size && (per_gib > 0 || small.value > 0)) return std::nullopt;
  const double bytes = size ? static_cast<double>(size->value) : 0;
  double figure = std::max(least, base + per_gib * bytes / static_cast<double>(kGiB.value));
  if (most) figure = std::min(figure, *most);
  if (size && *size <= small) figure = std::min(figure, most_small);
  return figure;
}

const VolumeType* find_type(const Catalogue& catalogue, std::string_view id) {
  const auto found = std::find_if(catalogue.begin(), catalogue.end(),
                                  [&](const VolumeType& type) { return type.id == id; });
  return found == catalogue.end() ? nullptr : &*found;
}

}  // namespace storage_probe
