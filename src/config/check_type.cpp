// SPDX-License-Identifier: Apache-2.0
#include "config/check_type.h"

#include "config/parse_catalogue.h"
#include "config/words.h"

namespace storage_probe::config {
namespace {

std::string known_of(const VolumeType& type) { return type.id + " as of " + type.as_of; }

void note_size(const TargetDraft& draft, const VolumeType& type, Problems& problems) {
  const auto& size = draft.target.volume.size;
  if (!size || type.largest_size.value == 0) return;
  if (*size >= type.least_size && *size <= type.largest_size) return;
  problems.note(draft.where("volume.size"), to_text(*size) + " is no size of " + known_of(type) +
                                                ", which has " + to_text(type.least_size) + " to " +
                                                to_text(type.largest_size) +
                                                ": taken as it is said");
}

void note_figures(const TargetDraft& draft, const VolumeType& type, Problems& problems) {
  const auto* const model = std::get_if<ProvisionedModel>(&type.model);
  if (model == nullptr || !draft.target.volume.members.empty()) return;
  const Promise& said = draft.target.volume.promise;
  const std::string taken = " that can be bought of " + known_of(type) + ": taken as it is said";
  if (said.iops && model->most_iops && *said.iops > *model->most_iops)
    problems.note(draft.where("volume.iops"), human_count(*said.iops) + " is more than the " +
                                                  human_count(*model->most_iops) + taken);
  if (said.throughput && model->most_throughput && *said.throughput > *model->most_throughput)
    problems.note(draft.where("volume.throughput"),
                  human_byte_rate(*said.throughput) + " is more than the " +
                      human_byte_rate(*model->most_throughput) + taken);
}

void note_missing_probes(const TargetDraft& draft, const VolumeType& type, Problems& problems) {
  if (type.is_hdd && !draft.set.has("probes"))
    problems.note(draft.where("volume.type"),
                  type.id +
                      " is on rotating disks, where random I/O is dear: the probes latency and "
                      "randread are left out; list them under probes to have them");
}

}  // namespace

void note_type(const TargetDraft& draft, const Catalogue& catalogue, Problems& problems) {
  const VolumeSpec& volume = draft.target.volume;
  if (volume.type.empty()) return;
  const VolumeType* const type = find_type(catalogue, volume.type);
  if (type == nullptr) {
    const std::string nearest = nearest_type(catalogue, volume.type);
    problems.note(draft.where("volume.type"),
                  "the catalogue has no type " + in_quotes(volume.type) +
                      (nearest.empty() ? ": only figures given here or in a promises file are known"
                                       : nearest));
    return;
  }
  note_size(draft, *type, problems);
  note_figures(draft, *type, problems);
  note_missing_probes(draft, *type, problems);
}

}  // namespace storage_probe::config
