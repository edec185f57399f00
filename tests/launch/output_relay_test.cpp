#include "launch/output_relay.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/file_size_limit.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

TEST(OutputRelay, UnwritableLogsAreReportedOnceAndTheRunContinues) {
  const TemporaryDirectory directory;
  const std::filesystem::path& logs = directory.path();
  std::ostringstream out, err;
  Context context = {.out = out, .err = err};
  const std::vector<PlannedProcess> processes = {
      {.rank = 0, .role = "worker 0", .host = "a", .argv = {}},
      {.rank = 1, .role = "worker 1", .host = "b", .argv = {}}};
  OutputRelay relay(context, processes, {.log_dir = logs.string()});
  {
    const FileSizeLimit full(0);
    relay.hear(0, "one", false);
    relay.hear(1, "two", false);
    relay.hear(0, "three", false);
  }
  EXPECT_EQ(out.str(), "one\nthree\n");
  EXPECT_EQ(err.str(), "note: logs in " + logs.string() + " are incomplete: File too large\n");
}

TEST(OutputRelay, LinesForTheLogAreShownOnlyToWhoeverWantsToSeeEverything) {
  for (const bool verbose : {false, true}) {
    const TemporaryDirectory directory;
    std::ostringstream out, err;
    Context context = {.out = out, .err = err};
    const std::vector<PlannedProcess> processes = {
        {.rank = 0, .role = "worker 0", .host = "a", .argv = {}}};
    OutputRelay relay(context, processes,
                      {.log_dir = directory.path().string(), .verbose = verbose});
    relay.hear(0, event_line({RunEvent::Kind::Log, "Worker 0: step 1"}), true);
    std::ifstream log(directory.path() / "rank-0-a.log");
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(log), {}),
                ::testing::MatchesRegex("[-0-9]+T[:.0-9]+Z Worker 0: step 1\n"));
    EXPECT_EQ(out.str(), "");
    EXPECT_EQ(err.str(), verbose ? "Worker 0: step 1\n" : "");
  }
}

TEST(OutputRelay, AnInterruptionIsReportedOnceByRank0OrTheLauncher) {
  for (const bool by_rank_0 : {true, false}) {
    std::ostringstream out, err;
    Context context = {.out = out, .err = err};
    OutputRelay relay(context, {}, {});
    if (by_rank_0) relay.hear(0, event_line({RunEvent::Kind::Interrupted}), true);
    EXPECT_EQ(relay.since_interruption().has_value(), by_rank_0);
    relay.tell_of_interruption();
    EXPECT_EQ(err.str(), by_rank_0 ? "" : "lockstep: interrupted; no result was written\n");
  }
}

TEST(OutputRelay, AFailureIsReportedInTheWordsOfTheRankThatFailed) {
  std::ostringstream out, err;
  Context context = {.out = out, .err = err, .environment = [](const std::string&) {
                       return std::optional<std::string>("1");
                     }};
  OutputRelay relay(context, {}, {});
  relay.hear(0, event_line({.text = "rank 1 is gone"}), true);
  relay.hear(1, event_line({.text = "not enough memory"}), true);
  relay.report_failure(1, "worker 1 ended with exit code 1");
  relay.report_failure({}, "worker 1 ended with exit code 1");
  relay.report_failure(2, "worker 2 died by signal 9");
  EXPECT_EQ(err.str(),
            "@lockstep failed not enough memory\n@lockstep failed rank 1 is gone\n"
            "@lockstep failed worker 2 died by signal 9\n");
}

}  // namespace
}  // namespace lockstep
