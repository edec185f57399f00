// 'lockstep report' of real sweeps.
#include "app/sweep_fixture.h"
#include "report/made_runs.h"
#include "report/results/results_store.h"
#include "support/paths.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Sweep, AReportTakesADirectoryOnce) {
  ASSERT_EQ(run(sweep({"--num-devices=1", "--repeats=1"})).outcome.end, RunEnd::Completed);
  const Ran report = run({lockstep_program(), "report", results(), results() + "/"});
  ASSERT_EQ(report.outcome.end, RunEnd::Completed) << report.err;
  EXPECT_THAT(report.err, HasSubstr("is given twice; it counts once"));
  EXPECT_THAT(report.out, HasSubstr("1 launch: a confidence interval needs at least 3"));
  EXPECT_THAT(report.err, Not(HasSubstr("no single steps")));
  const std::string copy = (directory_ / "copy").string();
  fs::copy(results(), copy, fs::copy_options::recursive);
  const Ran copied = run({lockstep_program(), "report", results(), copy});
  EXPECT_THAT(copied.err, HasSubstr("1 of its launches are copies of other launches here"));
  EXPECT_THAT(copied.out, HasSubstr("1 launch: a confidence interval needs at least 3"));
  fs::remove_all(copy + "/runs");
  EXPECT_THAT(run({lockstep_program(), "report", copy}).err, HasSubstr("note: no single steps: "));
  EXPECT_THAT(report.out, HasSubstr("median ms"));
  EXPECT_THAT(run({lockstep_program(), "report", results(), "--markdown", "--best"}).out,
              HasSubstr("| model | devices | best |"));
}

// For whom only the exit code speaks.
TEST_F(Sweep, ARunThatFailsWhereTheBaselineDidNotIsARegression) {
  const std::string old = (directory_ / "old").string();
  ASSERT_EQ(run(sweep({"--num-devices=1", "--repeats=1", "--output=" + old})).outcome.end,
            RunEnd::Completed);
  StoreContents contents = read_store(old);
  {
    ResultsStore store(results());
    StoredRun failed = contents.runs.front();
    failed.result.status = RunStatus::Failed;
    failed.result.error = "it broke";
    store.append(failed);
  }
  const Ran report = run({lockstep_program(), "report", results(), "--baseline", old});
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_THAT(report.out, HasSubstr("FAILED [1]\n[1] it broke"));
}

// A store of launches that nobody ran.
std::string store_of(const fs::path& directory, const std::vector<StoredRun>& runs) {
  ResultsStore store(directory.string());
  for (const StoredRun& run : runs) store.append(run);
  return directory.string();
}

std::vector<StoredRun> launches(const std::vector<double>& rates) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = rates});
  return runs;
}

// 0: no slowdown; 1: slower, or what else --fail-on lists; 2: inconclusive.
TEST_F(Sweep, TheExitCodeOfABaselineIsTheVerdict) {
  const std::string old = store_of(directory_ / "old", launches({100, 101, 99, 100, 100.5}));
  const std::string same = store_of(directory_ / "same", launches({100, 101, 99, 100, 100.5}));
  const std::string slow = store_of(directory_ / "slow", launches({95, 96, 94, 95, 95.5}));
  const std::string few = store_of(directory_ / "few", launches({95, 96}));
  const auto code = [&](const std::string& now, const std::vector<std::string>& more) {
    std::vector<std::string> words = {lockstep_program(), "report", now, "--baseline", old};
    words.insert(words.end(), more.begin(), more.end());
    return run(words).exit_code();
  };
  EXPECT_EQ(code(old, {}), 2);  // by mistake
  EXPECT_EQ(code(same, {}), 0);
  EXPECT_EQ(code(slow, {}), 1);
  EXPECT_EQ(code(slow, {"--fail-on=none"}), 0);
  EXPECT_EQ(code(slow, {"--max-regression=20%"}), 0);
  EXPECT_EQ(code(few, {}), 3);
  const Ran lax = run({lockstep_program(), "report", few, "--baseline", old, "--fail-on=slower"});
  EXPECT_EQ(lax.exit_code(), 0);
  EXPECT_THAT(lax.err, HasSubstr("1 of 1 comparisons is inconclusive"));
  EXPECT_EQ(run({lockstep_program(), "report", old, "--fail-on=slower"}).exit_code(), 2);
}

TEST_F(Sweep, APivotIsPrintedAndWrittenAsCsv) {
  const std::string store = store_of(directory_ / "curves", two_curves());
  const Ran report =
      run({lockstep_program(), "report", store, "--pivot=devices,variable_update", "--csv"});
  EXPECT_EQ(report.out,
            "devices,variable-update=parameter_server,variable-update=replicated\n"
            "1,97.9932,99.9933\n2,149.996,189.996\n4,,319.992\n");
  EXPECT_TRUE(fs::exists(store + "/pivot_devices_variable-update.csv"));
  EXPECT_TRUE(fs::exists(store + "/configurations.csv"));
  const Ran by = run({lockstep_program(), "report", store, "--by=variable-update"});
  EXPECT_THAT(by.out, HasSubstr("along variable-update, num-devices=2:"));
  const Ran wrong = run({lockstep_program(), "report", store, "--pivot=devics,model"});
  EXPECT_EQ(wrong.exit_code(), 2);
  EXPECT_THAT(wrong.err, HasSubstr("did you mean devices?"));
}

TEST_F(Sweep, CompareFailsOnlyIfAsked) {
  const auto result = [&](const char* name, double rate) {
    RunResult made = launches({rate}).front().result;
    for (int i = 0; i < 100; ++i) {
      StepRecord& step = made.steps.emplace_back();
      step.images = 8;
      step.duration = Seconds(8 / rate * (1 + 0.001 * (i % 7)));
    }
    write_result((directory_ / name).string(), made);
    return (directory_ / name).string();
  };
  const std::string quick = result("quick.json", 100), slow = result("slow.json", 50);
  const auto code = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {lockstep_program(), "compare", quick, slow};
    words.insert(words.end(), more.begin(), more.end());
    return run(words).exit_code();
  };
  EXPECT_EQ(code({}), 0);
  EXPECT_EQ(code({"--fail-on=slower"}), 1);
  EXPECT_EQ(code({"--fail-on=inconclusive"}), 0);
  EXPECT_EQ(code({"--max-regression=60%"}), 0);
  EXPECT_EQ(code({"--max-regression=10%"}), 1);
  EXPECT_EQ(code({"--fail-on=missing"}), 2);
}

}  // namespace
}  // namespace lockstep
