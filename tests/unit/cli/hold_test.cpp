// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "base/file.h"
#include "cli/commands.h"
#include "service/hold_answer.h"
#include "service/holds.h"
#include "support/temp_dir.h"
#include "worker/target_lock.h"

namespace storage_probe::cli {
namespace {

using test::TempDir;

// Takes over what is held of `targets`, as the exporter does, for as long as it lives.
class Daemon {
 public:
  Daemon(std::filesystem::path runtime, std::filesystem::path state, std::set<std::string> targets)
      : lock_(*worker::lock_target(state, "daemon")),
        runtime_(std::move(runtime)),
        state_(std::move(state)),
        targets_(std::move(targets)),
        thread_([this] { answer(); }) {}
  ~Daemon() {
    stop_ = true;
    thread_.join();
  }
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

 private:
  void answer() {
    std::filesystem::create_directories(runtime_);
    service::AnswerFile file(service::answer_file(runtime_ / "hold"));
    for (; !stop_; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
      service::HoldAnswer answer{state_, {}, {}};
      for (const auto& [name, hold] :
           service::read_holds(runtime_ / "hold", std::chrono::system_clock::now())) {
        if (name == service::kHoldAll || targets_.contains(name)) answer.rests[name] = hold.id;
        if (name != service::kHoldAll && !targets_.contains(name)) answer.unknown.insert(name);
      }
      file.write(answer);
    }
  }

  const UniqueFd lock_;
  const std::filesystem::path runtime_, state_;
  const std::set<std::string> targets_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

class HoldCommand : public testing::Test {
 protected:
  CommonOptions common() {
    CommonOptions common;
    common.storage_path = base_ / "state";
    common.runtime_path = base_ / "run";
    return common;
  }
  void configure(const std::string& text) {
    EXPECT_TRUE(write_file_atomically(base_ / "config.yml", text));
  }
  CommonOptions configured() {
    CommonOptions with_file = common();
    with_file.config_file = base_ / "config.yml";
    return with_file;
  }
  int captured(const std::function<int()>& command) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int code = command();
    text_ = testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
    return code;
  }
  int run(const HoldOptions& options) {
    return captured([&] { return hold(options); });
  }
  int run(const ReleaseOptions& options) {
    return captured([&] { return release(options); });
  }
  void start_daemon(const std::set<std::string>& targets) {
    daemon_.emplace(base_ / "run", base_ / "state", targets);
  }
  service::Holds holds() {
    return service::read_holds(base_ / "run" / "hold", std::chrono::system_clock::now());
  }
  bool says(const std::string& part) { return text_.find(part) != std::string::npos; }

  TempDir base_;
  std::string text_;
  std::optional<Daemon> daemon_;
};

TEST_F(HoldCommand, HoldsForAsLongAsItIsToldAndSaysUntilWhen) {
  start_daemon({"db"});
  EXPECT_EQ(run(HoldOptions{common(), "db", std::chrono::hours(4), "kernel update"}), kDone);
  EXPECT_TRUE(says("db is held for 4h, until ") && says(" UTC")) << text_;
  EXPECT_EQ(holds().at("db").reason, "kernel update");
  EXPECT_TRUE(holds().at("db").until);
}

TEST_F(HoldCommand, HoldsUntilItIsReleased) {
  start_daemon({"db"});
  EXPECT_EQ(run(HoldOptions{common(), "db", {}, ""}), kDone);
  EXPECT_TRUE(says("db is held until it is released")) << text_;
  EXPECT_EQ(run(ReleaseOptions{common(), "db"}), kDone);
  EXPECT_TRUE(says("db is released")) << text_;
  EXPECT_TRUE(holds().empty());
}

TEST_F(HoldCommand, FailsWhereNoDaemonIsThereToBeHeldAndSaysWhatIsWritten) {
  EXPECT_EQ(run(HoldOptions{common(), "all", {}, ""}), kFailed);
  EXPECT_TRUE(says("run/hold/all, but no exporter runs on") && says("--runtime.path")) << text_;
  EXPECT_TRUE(holds().contains("all"));
}

TEST_F(HoldCommand, FailsWhereADaemonLivesThatLooksElsewhere) {
  const auto daemon = worker::lock_target(base_ / "state", "daemon");
  EXPECT_EQ(run(HoldOptions{common(), "db", {}, ""}), kFailed);
  EXPECT_TRUE(says("has not taken it over within 5 s")) << text_;
}

TEST_F(HoldCommand, FailsWhereTheDaemonHasNoTargetOfThatName) {
  start_daemon({"db"});
  EXPECT_EQ(run(HoldOptions{common(), "bd", {}, ""}), kFailed);
  EXPECT_TRUE(says("run/hold/bd, but the exporter has no target of that name")) << text_;
}

TEST_F(HoldCommand, FailsWhereTheDaemonThatAnswersIsAnothers) {
  Daemon other(base_ / "run", base_ / "other", {"db"});
  const auto ours = worker::lock_target(base_ / "state", "daemon");
  EXPECT_EQ(run(HoldOptions{common(), "db", {}, ""}), kFailed);
  EXPECT_TRUE(says("--storage.path=" + (base_ / "other").string())) << text_;
}

TEST_F(HoldCommand, FailsWhereARunDoesNotEnd) {
  const auto running = worker::lock_target(base_ / "state" / "run", "db");
  ASSERT_TRUE(running);
  EXPECT_EQ(run(HoldOptions{common(), "all", {}, ""}), kFailed);
  EXPECT_TRUE(says("a probe of db does not end")) << text_;
  EXPECT_TRUE(holds().contains("all")) << "held all the same";
}

TEST_F(HoldCommand, RefusesANameThatTheConfigurationDoesNotHave) {
  start_daemon({"db", "logs"});
  configure("targets:\n  - {name: db, path: /data}\n  - {name: logs, path: /logs}\n");
  EXPECT_EQ(run(HoldOptions{configured(), "bd", {}, ""}), kUsage);
  EXPECT_TRUE(says("no target \"bd\"") && says("choose db, logs, or all")) << text_;
  EXPECT_EQ(run(ReleaseOptions{configured(), "bd"}), kUsage);
  EXPECT_TRUE(holds().empty());
  EXPECT_EQ(run(HoldOptions{configured(), "logs", {}, ""}), kDone) << text_;
}

TEST_F(HoldCommand, WorksWithAConfigurationThatHasErrors) {
  start_daemon({"db"});
  configure("targets: 5\n");
  EXPECT_EQ(run(HoldOptions{configured(), "db", {}, ""}), kDone);
  EXPECT_TRUE(says("is not checked")) << text_;
  EXPECT_TRUE(holds().contains("db"));
}

TEST_F(HoldCommand, RefusesANameThatIsAPath) {
  EXPECT_EQ(run(HoldOptions{common(), "../db", {}, ""}), kUsage);
  EXPECT_EQ(run(ReleaseOptions{common(), "../db"}), kUsage);
}

TEST_F(HoldCommand, NamesTheFlagWhereItCannotWrite) {
  ASSERT_TRUE(write_file_atomically(base_ / "run", "a file"));
  EXPECT_EQ(run(HoldOptions{common(), "db", {}, ""}), kFailed);
  EXPECT_TRUE(says("--runtime.path")) << text_;
}

TEST_F(HoldCommand, ReleasingSaysWhatStillHolds) {
  start_daemon({"db"});
  run(HoldOptions{common(), "all", {}, "maintenance"});
  EXPECT_EQ(run(ReleaseOptions{common(), "db"}), kDone);
  EXPECT_TRUE(
      says("db was not held, but every target is still held until it is released: "
           "maintenance"))
      << text_;
  run(HoldOptions{common(), "db", {}, ""});
  EXPECT_EQ(run(ReleaseOptions{common(), "all"}), kDone);
  EXPECT_TRUE(says("every target is released, but db is still held")) << text_;
}

}  // namespace
}  // namespace storage_probe::cli
