// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "config/yaml_reader.h"
#include "model/volume_type.h"

namespace storage_probe::config {

// The keys of a row of the catalogue that a kind of model reads, by the kind's name; empty where
// there is none of that name.
std::span<const std::string_view> keys_of_model(std::string_view kind);
std::span<const std::string_view> model_kinds();

// Reads them from the row.
Model parse_model(std::string_view kind, const Fields& row);

// A rate in bytes per second, of any size: what a volume delivers for each GiB may be little.
std::optional<double> small_byte_rate(const Value& value);

// A count per second, fractions included.
std::optional<double> plain_rate(const Value& value);

}  // namespace storage_probe::config
