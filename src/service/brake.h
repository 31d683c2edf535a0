// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.h"
#include "service/hold_answer.h"
#include "service/holds.h"

namespace storage_probe::service {

// Watches for what an operator holds: the files of the hold directory, and a file that holds
// everything for as long as it exists (the kill-switch). Looks twice a second, each place on a
// thread of its own: the directory of the kill-switch may lie on a disk that hangs, and neither the
// owner nor the holds may wait for it. Owned by the service, on the loop's thread. The destructor
// waits a second at most; a thread that hangs in the kernel is left behind.
class Brake {
 public:
  struct Places {
    std::filesystem::path holds;        // made where it is missing, so that a script can touch
    std::filesystem::path kill_switch;  // empty: there is none
  };

  // Holds whose directory vanishes stay in force, and their files are written anew.
  // Has looked once when it returns, on the caller's thread.
  static Result<Brake> watch(Places places);
  Brake(Brake&& other) noexcept;
  Brake(const Brake& other) = delete;
  Brake& operator=(const Brake& other) = delete;
  Brake& operator=(Brake&& other) = delete;
  ~Brake();

  // Readable when something else is held than holds() has told last.
  int event_fd() const;
  Holds holds();

  // Says to the command `hold` what has become of its holds, soon and on the thread that looks.
  void answer(HoldAnswer answer);

 private:
  struct Shared;
  explicit Brake(std::shared_ptr<Shared> shared);

  std::shared_ptr<Shared> shared_;
};

}  // namespace storage_probe::service
