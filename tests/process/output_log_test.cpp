// The logs of commands that run.
#include "process/output_log.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <string_view>

#include "base/error.h"
#include "process/run_commands.h"
#include "support/file_text.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

using ::testing::StartsWith;

std::vector<Command> shell(const std::string& script) {
  return {{.name = "../worker 0", .argv = {"/bin/sh", "-c", script}}};
}

TEST(OutputLog, KeepsEverythingWithTheTimeOfEachLine) {
  const TemporaryDirectory directory;
  const PlanOutcome outcome =
      run_commands(shell("printf 'a\\0b\\nhalf'"), {}, {.log_directory = directory.path("deep")});
  EXPECT_EQ(outcome.end, RunEnd::Completed) << outcome.why;
  std::string log = file_text(directory.path("deep/worker-0.log"));
  const size_t second = log.find('\n') + 1;
  constexpr size_t kTime = std::string_view("2026-01-31T14:25:01.123456Z ").size();
  ASSERT_EQ(log.size(), 2 * kTime + 8);
  EXPECT_THAT(log, StartsWith("20"));
  EXPECT_THAT(log.substr(second), StartsWith("20"));
  log.erase(second, kTime).erase(0, kTime);
  EXPECT_EQ(log, std::string("a\0b\nhalf", 8));
}

TEST(OutputLog, FollowsNoLink) {
  const TemporaryDirectory directory;
  std::filesystem::create_symlink("elsewhere", directory.path("a.log"));
  EXPECT_THROW(OutputLog(directory.path().string(), "a"), Error);
  EXPECT_FALSE(std::filesystem::exists(directory.path("elsewhere")));
}

TEST(OutputLog, ThatCannotBeWrittenIsAFailureBeforeTheStart) {
  const PlanOutcome outcome =
      run_commands(shell("echo ran"), {}, {.log_directory = "/proc/nothing"});
  EXPECT_EQ(outcome.end, RunEnd::Failed);
  EXPECT_FALSE(outcome.commands.at(0).status.has_value());
}

}  // namespace
}  // namespace lockstep
