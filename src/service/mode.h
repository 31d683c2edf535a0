// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace storage_probe::service {

// What a daemon does with its targets: probe them, or only say what is known without any I/O.
enum class Mode { probe, observe };

}  // namespace storage_probe::service
