// SPDX-License-Identifier: Apache-2.0
// What may be called what, and what someone may have meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace storage_probe::config {

// Of a target, a probe or a volume type.
inline constexpr std::size_t kLongestName = 63;

// In double quotes for a message, cut where it is long.
std::string in_quotes(std::string_view text);

// ", did you mean "path"?" where one of `known` is close to `word`, else ": known here are …".
std::string hint(std::string_view word, std::span<const std::string_view> known);

// "a, b and c", for messages.
std::string listed(std::span<const std::string_view> words);

// What is wrong with the name of a target or probe; empty when nothing is. Names are label values
// and names of lock files.
std::string flaw_of_name(std::string_view name);

// What is wrong with the name of an operator's label; empty when nothing is.
std::string flaw_of_label(std::string_view name);

}  // namespace storage_probe::config
