#include "report/analysis/step_times.h"

#include <gmock/gmock.h>

#include "report/made_runs.h"
#include "report/render/step_table.h"

namespace lockstep {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::vector<StoredRun> three_launches() {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {100, 101, 99}});
  for (int i = 0; StoredRun & run : runs) {
    Summary& summary = run.result.summary;
    const double more = ++i == 3 ? 10 : 0.001 * i;  // one launch is far off
    summary.steps = 50;
    summary.median_step = 0.080 + more;
    summary.p5_step = 0.070 + more;
    summary.p95_step = 0.120 + more;
    summary.p99_step = 0.150 + more;
    summary.mad_step = 0.004;
    summary.cv_step = 0.05;
    summary.outlier_steps = {7, 8};
  }
  return runs;
}

TEST(StepTimes, AreMediansOverLaunchesAndCountsOverAllOfThem) {
  const std::vector<StoredRun> runs = three_launches();
  const auto times = make_scaling(runs).configurations[0].step_times;
  ASSERT_TRUE(times);
  EXPECT_EQ(times->steps, 150);
  EXPECT_EQ(times->outliers, 6);
  EXPECT_DOUBLE_EQ(times->median, 0.082);
  EXPECT_DOUBLE_EQ(times->p5, 0.072);
  EXPECT_DOUBLE_EQ(times->p95, 0.122);
  EXPECT_DOUBLE_EQ(times->p99, 0.152);
  EXPECT_DOUBLE_EQ(times->mad, 0.004);
  EXPECT_DOUBLE_EQ(times->cv, 0.05);
}

TEST(StepTimes, AreShownInATable) {
  const ScalingReport report = make_scaling(three_launches());
  EXPECT_THAT(step_table(report),
              HasSubstr("median step ms  p5 ms  p95 ms  p99 ms  MAD ms  CV %  outliers"));
  EXPECT_THAT(step_table(report), ContainsRegex("1 +150 +82 +72 +122 +152 +4 +5.0 +6 +1.0"));
  EXPECT_THAT(step_markdown(report), HasSubstr("| 82 | 72 | 122 | 152 | 4 | 5.0 | 6 | 1.0 |"));
}

TEST(StepTimes, AProgramWithoutStepTimesHasNoRow) {
  std::vector<StoredRun> runs;
  add(runs, {.rates = {100, 101, 99}});
  const ScalingReport report = make_scaling(runs);
  EXPECT_FALSE(report.configurations[0].step_times);
  EXPECT_EQ(step_table(report), "");
}

}  // namespace
}  // namespace lockstep
