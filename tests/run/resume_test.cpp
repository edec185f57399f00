// What is left of a run after a checkpoint.
#include "run/resume.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "support/reference_kind.h"

namespace lockstep {
namespace {

const EngineKind kEngines[] = {reference_kind()};

// Of resnet20, whose data set has 50,000 examples, with 10 per step of one worker.
RunPlan resumed(RunConfig run, int workers, const CheckpointFacts& facts) {
  run.model = "resnet20";
  run.batch_size = 10;
  RunPlan plan = plan_run(run, kEngines, workers);
  resume_from({"model.ckpt", Checkpoint(facts, {}, {})}, plan);
  return plan;
}

CheckpointFacts after(int64_t step, int64_t examples) {
  return {.model = "resnet20",
          .dataset = "cifar10",
          .optimizer = "sgd",
          .step = step,
          .examples = examples,
          .optimizer_steps = step,
          .convolutions = ""};
}

TEST(Resume, AResumedRunEndsAtTheSameStepAndWarmsUpAgain) {
  const RunPlan plan = resumed({.num_batches = 40, .num_warmup_batches = 5}, 1, after(25, 250));
  EXPECT_EQ(plan.facts.warmup_steps, 5);
  EXPECT_EQ(plan.facts.timed_steps, 15);
  EXPECT_EQ(plan.resume_point.step, 25);
  EXPECT_EQ(plan.resume_point.schedule, 25);
  EXPECT_DOUBLE_EQ(plan.epochs, 15 * 10 / 50000.0);  // of the timed steps, as the header says
}

TEST(Resume, TheLastStepsAreTimed) {
  const RunPlan plan = resumed({.num_batches = 10, .num_warmup_batches = 5}, 1, after(12, 120));
  EXPECT_EQ(plan.facts.warmup_steps, 2);
  EXPECT_EQ(plan.facts.timed_steps, 1);
}

TEST(Resume, AFinishedRunHasNoStepsLeft) {
  for (const int64_t step : {15, 16, 1000}) {
    const RunPlan plan =
        resumed({.num_batches = 10, .num_warmup_batches = 5}, 1, after(step, 10 * step));
    EXPECT_EQ(plan.facts.timed_steps + plan.facts.warmup_steps, 0) << step;
  }
}

TEST(Resume, WithOtherWorkersEpochsAndRatesAreCountedInExamples) {
  RunConfig run = {.num_batches = {}, .num_epochs = 1.0, .num_warmup_batches = 0};
  const RunPlan plan = resumed(run, 2, after(1000, 10000));  // by one worker
  EXPECT_EQ(plan.resume_point.step, 1000);
  EXPECT_EQ(plan.resume_point.schedule, 500);
  EXPECT_EQ(plan.facts.timed_steps, (50000 - 10000) / 20);
}

TEST(Resume, AnotherOptimizerIsRefused) {
  EXPECT_THROW(resumed({.optimizer = "adam"}, 1, after(1, 10)), Error);
}

}  // namespace
}  // namespace lockstep
