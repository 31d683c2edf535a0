// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace storage_probe::config {

// SHA-256 of the texts one after the other, in hex: what `cat FILE... | sha256sum` prints.
std::string sha256(std::span<const std::string> texts);

}  // namespace storage_probe::config
