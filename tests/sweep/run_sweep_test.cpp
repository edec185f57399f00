#include "sweep/run_sweep.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/atomic_file.h"
#include "config/json.h"
#include "config/run_id.h"
#include "support/temporary_directory.h"

namespace lockstep {
namespace {

// A launch has left its whole result; whatever is launched now fails.
class RunSweep : public ::testing::Test {
 protected:
  RunSweep() {
    plan_.runs = {{run_id({}), {}}};
    plan_.repeats = 1;
    plan_.retry_failed = true;
    result_.started_at = "then";
    const std::string raw = temporary_.path(raw_file_of(plan_.runs.front(), 0));
    std::filesystem::create_directories(std::filesystem::path(raw).parent_path());
    write_whole_file(raw, result_to_json(result_).dump());
  }

  SweepOutcome run(ResultsStore& store) const {
    return run_sweep(plan_, store, "/bin/false", [](const SweepRun&) { return 1.0; }, {});
  }

  TemporaryDirectory temporary_;
  SweepPlan plan_;
  RunResult result_;
};

TEST_F(RunSweep, AnUnstoredResultOfAKilledSweepIsRecovered) {
  ResultsStore store(temporary_.path().string());
  const SweepOutcome outcome = run(store);
  EXPECT_EQ(outcome.adopted, 1);
  EXPECT_EQ(outcome.launched, 0);
}

TEST_F(RunSweep, ALongLaunchHasLongerUnlessTheUserSaysOtherwise) {
  EXPECT_EQ(time_limit(plan_, 1), Seconds(3610));
  EXPECT_EQ(time_limit(plan_, 3600), Seconds(39600));
  plan_.run_timeout = Seconds(5);
  EXPECT_EQ(time_limit(plan_, 3600), Seconds(5));
}

TEST_F(RunSweep, ALaunchThatFailedAfterItsResultIsLaunchedAgain) {
  ResultsStore store(temporary_.path().string());
  StoredRun failed = {.id = plan_.runs.front().id, .repeat = 0, .result = result_};
  failed.result.status = RunStatus::Failed;
  failed.result.error = "it broke at its end";
  store.append(failed);
  const SweepOutcome outcome = run(store);
  EXPECT_EQ(outcome.adopted, 0);
  EXPECT_EQ(outcome.launched, 1);
  EXPECT_EQ(outcome.failed, 1);
}

TEST_F(RunSweep, AControlRunIsNoLaunchOfTheSameRun) {
  ResultsStore store(temporary_.path().string());
  StoredRun control = {.id = plan_.runs.front().id, .control = true, .result = result_};
  store.append(control);
  EXPECT_EQ(missing_launches(plan_, store.contents()).size(), 1u);
  plan_.runs.front().control = true;
  EXPECT_EQ(missing_launches(plan_, store.contents()).size(), 0u);
  const std::string raw = raw_file_of(plan_.runs.front(), 0);
  plan_.runs.front().control = false;
  EXPECT_NE(raw, raw_file_of(plan_.runs.front(), 0)) << "none overwrites the other";
}

TEST_F(RunSweep, ALaunchServesAsAControlRun) {
  ResultsStore store(temporary_.path().string());
  store.append({.id = plan_.runs.front().id, .result = result_});
  plan_.runs.front().control = true;
  EXPECT_EQ(missing_launches(plan_, store.contents()).size(), 0u);
}

TEST_F(RunSweep, ASkippedRunIsStoredOnceAndNeverLaunched) {
  ResultsStore store(temporary_.path().string());
  plan_.skipped = {{{"0123", {}}, "PyTorch has no servers"}};
  EXPECT_EQ(run(store).failed, 0);
  EXPECT_EQ(run(store).failed, 0);
  std::vector<const StoredRun*> skipped;
  for (const StoredRun& each : store.contents().runs) {
    if (each.id == "0123") skipped.push_back(&each);
  }
  ASSERT_EQ(skipped.size(), 1u);
  EXPECT_TRUE(skipped.front()->skipped());
  EXPECT_FALSE(skipped.front()->measured());
  EXPECT_EQ(skipped.front()->result.error, "PyTorch has no servers");
}

TEST_F(RunSweep, WhatWasSkippedOnceIsLaunchedWhenItIsSupported) {
  plan_.runs = {{"0123", {}}};
  ResultsStore store(temporary_.path().string());
  StoredRun skipped = {.id = "0123"};
  skipped.result.status = RunStatus::Skipped;
  store.append(skipped);
  plan_.retry_failed = false;
  EXPECT_EQ(run(store).launched, 1);
}

// As on hosts that the survey of this machine does not ask.
TEST_F(RunSweep, AFrameworkThatIsNotInstalledIsLaunchedOnceAndSkipped) {
  const std::string said = temporary_.path("said"), program = temporary_.path("program");
  write_whole_file(program, "#!/bin/sh\necho \"$@\" >>" + said +
                                "\necho \"@lockstep failed a: 'py -m pip install torch' installs "
                                "it\" >&2\nexit 1\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  plan_.runs = {{"0123", {.framework = "pytorch"}}, {"4567", {.framework = "pytorch:eager"}}};
  plan_.repeats = 3;
  ResultsStore store(temporary_.path().string());
  const SweepOutcome outcome =
      run_sweep(plan_, store, program, [](const SweepRun&) { return 1.0; }, {});
  EXPECT_EQ(outcome.launched, 1);
  EXPECT_EQ(outcome.failed, 0);
  ASSERT_EQ(store.contents().runs.size(), 2u);
  for (const StoredRun& run : store.contents().runs) {
    EXPECT_TRUE(run.skipped());
    EXPECT_NE(run.result.error.value_or("").find("pip install torch"), std::string::npos);
  }
}

// The words that a program was started with, one line per launch.
TEST_F(RunSweep, LaterLaunchesUseTheModeThatTheFirstFound) {
  const std::string said = temporary_.path("said"), program = temporary_.path("program");
  write_whole_file(program, "#!/bin/sh\necho \"$@\" >>" + said + "\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  plan_.runs = {{"0123", {}}, {"4567", {.num_devices = 2}}};
  plan_.repeats = 2;
  ResultsStore store(temporary_.path().string());
  StoredRun first = {.id = "0123"};
  first.result.framework = {.name = "pytorch",
                            .version = "2",
                            .mode = "compile",
                            .trials = {{"eager", 2}, {"compile", 1}}};
  store.append(first);
  run_sweep(plan_, store, program, [](const SweepRun&) { return 1.0; }, {});
  std::ifstream lines(said);
  std::string line;
  int launches = 0;
  for (; std::getline(lines, line); ++launches) {
    EXPECT_NE(line.find("--framework-mode=compile"), std::string::npos) << line;
  }
  EXPECT_EQ(launches, 3);  // one more on one device, two on two
}

// A given mode was not tried but checked; a script has none.
TEST_F(RunSweep, LaterLaunchesOfAGivenModeOrAScriptAreNotCheckedAgain) {
  const std::string said = temporary_.path("said"), program = temporary_.path("program");
  write_whole_file(program, "#!/bin/sh\necho \"$@\" >>" + said + "\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  plan_.runs = {{"0123", {.framework = "pytorch:eager"}}, {"4567", {.framework = "mine.py"}}};
  plan_.repeats = 2;
  ResultsStore store(temporary_.path().string());
  for (const SweepRun& run : plan_.runs) {
    StoredRun first = {.id = run.id};
    first.result.config = run.config;
    const bool script = run.config.framework == "mine.py";
    first.result.framework = {
        .name = "x", .version = "2", .mode = script ? "" : "eager", .checked_steps = 2};
    store.append(first);
  }
  run_sweep(plan_, store, program, [](const SweepRun&) { return 1.0; }, {});
  std::ifstream lines(said);
  std::string line;
  int launches = 0;
  for (; std::getline(lines, line); ++launches) {
    const std::string mode =
        line.find("mine.py") == std::string::npos ? "--framework-mode=eager" : "--framework-mode=";
    EXPECT_NE(line.find(mode), std::string::npos) << line;
  }
  EXPECT_EQ(launches, 2);
}

}  // namespace
}  // namespace lockstep
