#include "train/loop.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

struct Diary : LoopObserver {
  int stop_after = 1000;
  std::vector<int> before, after;
  std::vector<size_t> timed_counts;
  int warmups_done = 0;

  void before_step(int step) override { before.push_back(step); }
  void after_step(int step, std::span<const StepRecord> timed, StepMeter&) override {
    after.push_back(step);
    timed_counts.push_back(timed.size());
    for (const TimePoint start = Clock::now(); Clock::now() == start;) {
    }
  }
  void warmup_done() override { ++warmups_done; }
  StopReason stop_reason() override {
    const bool enough = static_cast<int>(after.size()) >= stop_after;
    return enough ? StopReason::Interrupted : StopReason::None;
  }
};

struct CountingStep {
  std::vector<int64_t> global_steps;
  Step step() {
    return [this](StepMeter& meter, int64_t global_step) {
      global_steps.push_back(global_step);
      meter.begin_step();
      meter.end_step(4, {.total_loss = static_cast<double>(global_step)});
    };
  }
};

TEST(Loop, WarmUpCountsDownAndAdvancesTheGlobalStep) {
  Diary diary;
  CountingStep counting;
  const LoopOutcome outcome =
      run_loop({.warmup_steps = 2, .timed_steps = 3}, counting.step(), diary);
  EXPECT_EQ(diary.before, (std::vector<int>{-2, -1, 1, 2, 3}));
  EXPECT_EQ(diary.after, diary.before);
  EXPECT_EQ(diary.timed_counts, (std::vector<size_t>{0, 0, 1, 2, 3}));
  EXPECT_EQ(diary.warmups_done, 1);
  EXPECT_EQ(counting.global_steps, (std::vector<int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(outcome.warmup.size(), 2u);
  ASSERT_EQ(outcome.timed.size(), 3u);
  EXPECT_EQ(outcome.timed[0].losses.total_loss, 2);
  EXPECT_FALSE(outcome.interrupted());
}

TEST(Loop, AllTimeOfTheTimedLoopBelongsToAStep) {
  Diary diary;
  CountingStep counting;
  const LoopOutcome outcome =
      run_loop({.warmup_steps = 2, .timed_steps = 5}, counting.step(), diary);
  Seconds sum{};
  for (size_t i = 0; i < outcome.timed.size(); ++i) {
    const StepRecord& step = outcome.timed[i];
    sum += step.duration;
    EXPECT_GT(step.phase(Phase::Between).count(), 0) << "what the observer did after step " << i;
    if (i == 0) continue;
    const StepRecord& before = outcome.timed[i - 1];
    EXPECT_NEAR((before.begin + before.duration).count(), step.begin.count(), 1e-12);
  }
  EXPECT_NEAR(outcome.total.count(), sum.count(), 1e-12);
}

TEST(Loop, NoWarmUpIsFine) {
  Diary diary;
  CountingStep counting;
  const auto outcome = run_loop({.warmup_steps = 0, .timed_steps = 1}, counting.step(), diary);
  EXPECT_EQ(diary.before, (std::vector<int>{1}));
  EXPECT_EQ(diary.warmups_done, 1);
  EXPECT_EQ(outcome.timed.size(), 1u);
}

TEST(Loop, StopsAfterTheCurrentStep) {
  Diary diary;
  diary.stop_after = 4;
  CountingStep counting;
  const auto outcome = run_loop({.warmup_steps = 2, .timed_steps = 9}, counting.step(), diary);
  EXPECT_TRUE(outcome.interrupted());
  EXPECT_EQ(outcome.timed.size(), 2u);
}

TEST(Loop, StoppedInWarmUpHasNothingTimed) {
  Diary diary;
  diary.stop_after = 1;
  CountingStep counting;
  const auto outcome = run_loop({.warmup_steps = 2, .timed_steps = 9}, counting.step(), diary);
  EXPECT_TRUE(outcome.interrupted());
  EXPECT_EQ(outcome.warmup.size(), 1u);
  EXPECT_TRUE(outcome.timed.empty());
  EXPECT_EQ(diary.warmups_done, 0);
}

TEST(Loop, StoppedAtTheLastStepWasNotInterrupted) {
  Diary diary;
  diary.stop_after = 3;
  CountingStep counting;
  EXPECT_FALSE(
      run_loop({.warmup_steps = 1, .timed_steps = 2}, counting.step(), diary).interrupted());
}

}  // namespace
}  // namespace lockstep
