// 'lockstep report' of real sweeps.
#include "app/sweep_fixture.h"
#include "report/results/results_store.h"

namespace lockstep {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Sweep, AReportTakesADirectoryOnce) {
  ASSERT_EQ(run(sweep({"--num-devices=1", "--repeats=1"})).outcome.end, RunEnd::Completed);
  const Ran report = run({LOCKSTEP_PROGRAM, "report", results(), results() + "/"});
  ASSERT_EQ(report.outcome.end, RunEnd::Completed) << report.err;
  EXPECT_THAT(report.err, HasSubstr("is given twice; it counts once"));
  EXPECT_THAT(report.out, HasSubstr("1 launch: a confidence interval needs at least 3"));
  EXPECT_THAT(report.err, Not(HasSubstr("no single steps")));
  const std::string copy = (directory_ / "copy").string();
  fs::copy(results(), copy, fs::copy_options::recursive);
  const Ran copied = run({LOCKSTEP_PROGRAM, "report", results(), copy});
  EXPECT_THAT(copied.err, HasSubstr("1 of its launches are copies of other launches here"));
  EXPECT_THAT(copied.out, HasSubstr("1 launch: a confidence interval needs at least 3"));
  fs::remove_all(copy + "/runs");
  EXPECT_THAT(run({LOCKSTEP_PROGRAM, "report", copy}).err, HasSubstr("note: no single steps: "));
  EXPECT_THAT(report.out, HasSubstr("median step ms"));
  EXPECT_THAT(run({LOCKSTEP_PROGRAM, "report", results(), "--markdown", "--best"}).out,
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
  const Ran report = run({LOCKSTEP_PROGRAM, "report", results(), "--baseline", old});
  EXPECT_EQ(report.exit_code(), 1);
  EXPECT_THAT(report.out, HasSubstr("FAILED: it broke"));
}

}  // namespace
}  // namespace lockstep
