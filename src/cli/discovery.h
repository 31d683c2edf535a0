// SPDX-License-Identifier: Apache-2.0
// What a host has, as a configuration for it.
#pragma once

#include <string>

#include "model/terms.h"
#include "model/volume_type.h"
#include "targets/survey.h"

namespace storage_probe::cli {

// What is known of volumes in general and of some in particular.
struct VolumeKnowledge {
  Catalogue catalogue;
  PromiseBook book;
};

// A configuration with a target for each real mount. Comments say what was found of it, and which
// mounts are left out and why. It always passes `check-config`.
std::string discovered_config(const targets::Survey& found, const VolumeKnowledge& known);

}  // namespace storage_probe::cli
