// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "config/yaml_document.h"

namespace storage_probe::config {

// What is wrong with a text before YAML has a say: its size, its encoding, control characters, tabs
// in the indentation.
std::optional<Document::Refusal> check_text(std::string_view text);

// The length of the UTF-8 sequence that `text` begins with, 0 where it begins with none.
std::size_t utf8_length(std::string_view text);

// Whether a control character (below space, or DEL) is in `text`.
bool has_control_character(std::string_view text);

}  // namespace storage_probe::config
