// SPDX-License-Identifier: Apache-2.0
// A worker is started from /proc/self/exe, so the test program must be able to be one.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string_view>

#include "worker/child.h"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "worker") {
    return storage_probe::worker::run_worker(STDIN_FILENO, STDOUT_FILENO);
  }
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
