// SPDX-License-Identifier: Apache-2.0
#include "model/job.h"

namespace storage_probe {

std::string_view to_text(Phase phase) {
  switch (phase) {
    case Phase::open:
      return "open";
    case Phase::preflight:
      return "preflight";
    case Phase::lease:
      return "lease";
    case Phase::layout:
      return "layout";
    case Phase::measure:
      return "measure";
  }
  return "unknown";
}

}  // namespace storage_probe
