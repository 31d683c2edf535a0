// SPDX-License-Identifier: Apache-2.0
// In children: what is copied stays so until the process ends.
#include "service/program_copy.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/in_child.h"

namespace storage_probe::service {
namespace {

std::string copied() {
  const auto done = copy_program();
  return done ? "copied" : done.error().message;
}

// The access of the mappings that come from the program's file, by address.
std::string mapped_from_file() {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  std::ifstream maps("/proc/self/maps");
  std::string found;
  for (std::string line; std::getline(maps, line);) {
    if (line.ends_with(program)) found += " " + line.substr(line.find(' ') + 1, 4);
  }
  return found;
}

TEST(ProgramCopy, LeavesNothingButVariablesOnTheFile) {
  ASSERT_NE(mapped_from_file().find("r-xp"), std::string::npos);
  EXPECT_EQ(test::in_child([] {
              const std::string result = copied();
              return result + ", left:" + mapped_from_file();
            }),
            "copied, left: rw-p");
}

// Exceptions are found by the addresses of the code that throws.
TEST(ProgramCopy, IsTheSameProgram) {
  EXPECT_EQ(test::in_child([] {
              const std::string result = copied();
              try {
                return std::to_string(std::stoi("no number"));
              } catch (const std::invalid_argument&) {
                return result + " and runs";
              }
            }),
            "copied and runs");
}

TEST(ProgramCopy, MayBeMadeWhileThreadsRunInIt) {
  EXPECT_EQ(test::in_child([] {
              std::atomic<bool> stop{false};
              std::thread busy([&] {
                while (!stop) static_cast<void>(mapped_from_file());
              });
              const std::string result = copied();
              stop = true;
              busy.join();
              return result;
            }),
            "copied");
}

TEST(ProgramCopy, SaysWhyThereIsNone) {
  EXPECT_EQ(test::in_child([] {
              const rlimit none{0, 0};
              ::setrlimit(RLIMIT_FSIZE, &none);
              ::signal(SIGXFSZ, SIG_IGN);
              return copied();
            }),
            "copy the program into memory: write: File too large");
}

}  // namespace
}  // namespace storage_probe::service
