#include "sweep/plan_text.h"

#include <gmock/gmock.h>

namespace lockstep {
namespace {

using ::testing::HasSubstr;

PlannedSweep two_strategies() {
  PlannedSweep sweep;
  for (const char* strategy : {"replicated", "parameter_server"}) {
    SweepRun run = {.id = strategy, .config = {}};
    run.config.model = "alexnet";
    run.config.batch_size = 4;
    run.config.num_devices = 2;
    run.config.variable_update = strategy;
    sweep.plan.runs.push_back(run);
  }
  sweep.plan.repeats = 2;
  sweep.differing = {"variable-update"};
  return sweep;
}

StoredRun launch(const char* id, int repeat) {
  StoredRun run = {.id = id, .repeat = repeat};
  run.wall_seconds = 120;
  return run;
}

TEST(PlanText, NamesTheAxesAndTheEstimate) {
  const PlannedSweep sweep = two_strategies();
  StoreContents contents;
  const std::string text = plan_text(sweep, remaining_work(sweep, contents));
  EXPECT_THAT(text, HasSubstr("plan: 2 runs, 2 launches each; 4 of 4 launches remain, about "));
  EXPECT_THAT(text, HasSubstr("\n  model:batch: alexnet:4\n  num-devices: 2\n  steps per launch: "
                              "100 timed after 10 warm-up\n"));
  EXPECT_THAT(text, HasSubstr("  variable-update: replicated, parameter_server\n"));
  EXPECT_EQ(resuming_text(sweep, remaining_work(sweep, contents), contents), "");
}

TEST(PlanText, AResumedSweepSaysHowMuchIsDone) {
  PlannedSweep sweep = two_strategies();
  StoreContents contents;
  contents.runs = {launch("replicated", 0), launch("parameter_server", 0), launch("replicated", 1)};
  const RemainingWork work = remaining_work(sweep, contents);
  EXPECT_EQ(work.launches, 1u);
  EXPECT_DOUBLE_EQ(work.seconds, 120);  // as long as the one before
  EXPECT_EQ(resuming_text(sweep, work, contents), "resuming: 3 of 4 launches done\n");
  contents.runs.back().result.error = "it broke";
  EXPECT_EQ(resuming_text(sweep, work, contents),
            "resuming: 3 of 4 launches done, 1 of them failed; --retry-failed launches it again\n");
  sweep.plan.retry_failed = true;
  EXPECT_EQ(resuming_text(sweep, remaining_work(sweep, contents), contents),
            "resuming: 2 of 4 launches done\n");
}

}  // namespace
}  // namespace lockstep
