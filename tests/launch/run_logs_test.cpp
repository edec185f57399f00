#include "launch/run_logs.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;

// Runs are started in a directory of the test's own.
class RunLogsTest : public ::testing::Test {
 protected:
  RunLogsTest() { fs::current_path(temporary_.path()); }
  ~RunLogsTest() override { fs::current_path(before_); }

  static void write_into(const RunLogs& logs) {
    std::ofstream(fs::path(logs.directory()) / "rank-0.log") << "x";
  }
  static bool nothing_is_left() { return fs::is_empty("."); }

  const fs::path before_ = fs::current_path();
  TemporaryDirectory temporary_;
  std::ostringstream err_;
};

TEST_F(RunLogsTest, TheDefaultDirectoryIsPrinted) {
  RunLogs logs({.directory = "", .name = "ResNet 50/$(x)"}, err_);
  EXPECT_THAT(logs.directory(), MatchesRegex("lockstep-runs/[0-9]{8}-[0-9]{6}-ResNet-50-x"));
  write_into(logs);
  logs.finish(/*went_well=*/true);
  EXPECT_EQ(err_.str(), "logs: " + logs.directory() + "\n");
}

TEST_F(RunLogsTest, RunsOfTheSameSecondGetDifferentDirectories) {
  const RunLogs first({.directory = "", .name = "a"}, err_);
  const RunLogs second({.directory = "", .name = "a"}, err_);
  const RunLogs third({.directory = "", .name = "a"}, err_);
  EXPECT_NE(first.directory(), second.directory());
  EXPECT_NE(second.directory(), third.directory());
}

TEST_F(RunLogsTest, LogsOfASuccessfulRunMayBeRemoved) {
  RunLogs logs({.directory = "", .name = "a", .only_failed = true}, err_);
  write_into(logs);
  logs.finish(/*went_well=*/true);
  EXPECT_FALSE(fs::exists(logs.directory()));
  EXPECT_EQ(err_.str(), "");
}

TEST_F(RunLogsTest, LogsOfAFailedRunStay) {
  RunLogs logs({.directory = "", .name = "a", .only_failed = true}, err_);
  write_into(logs);
  logs.finish(/*went_well=*/false);
  EXPECT_TRUE(fs::exists(logs.directory()));
  EXPECT_THAT(err_.str(), HasSubstr("logs: "));
}

TEST_F(RunLogsTest, AnEmptyDefaultDirectoryIsRemoved) {
  { const RunLogs logs({.directory = "", .name = "a"}, err_); }
  EXPECT_TRUE(nothing_is_left());
  {
    RunLogs logs({.directory = "", .name = "a"}, err_);
    logs.finish(/*went_well=*/false);
  }
  EXPECT_TRUE(nothing_is_left());
  EXPECT_EQ(err_.str(), "");
}

TEST_F(RunLogsTest, LogsInAGivenDirectoryStay) {
  {
    RunLogs logs({.directory = "deep/logs", .name = "a", .only_failed = true}, err_);
    EXPECT_EQ(logs.directory(), "deep/logs");
    logs.finish(/*went_well=*/true);
  }
  EXPECT_TRUE(fs::exists("deep/logs"));
  EXPECT_THROW(RunLogs({.directory = "/proc/no", .name = "a"}, err_), Error);
}

TEST_F(RunLogsTest, AnUnwritableDefaultDirectoryIsOnlyANote) {
  std::ofstream("lockstep-runs") << "a file";
  const RunLogs logs({.directory = "", .name = "a"}, err_);
  EXPECT_EQ(logs.directory(), "");
  EXPECT_THAT(err_.str(), HasSubstr("note: no logs are kept: cannot create lockstep-runs/"));
}

}  // namespace
}  // namespace lockstep
