#include "train/loop.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

struct Diary : LoopObserver {
  int stop_after = 1000;
  std::vector<int> before, after;
  std::vector<size_t> timed_counts;
  int warmups_done = 0;
  bool excludes = false;
  std::vector<double> done;     // durations, when the steps were done
  std::vector<size_t> outside;  // how many were timed; 100 more once the steps were done

  void before_step(int step) override { before.push_back(step); }
  bool wants_losses(int) override { return false; }
  void after_step(int step, std::span<const StepRecord> timed, StepMeter&) override {
    after.push_back(step);
    timed_counts.push_back(timed.size());
    for (const TimePoint start = Clock::now(); Clock::now() == start;) {
    }
  }
  void steps_done(std::span<const StepRecord> timed) override { done = durations(timed); }
  Seconds outside_steps() override {
    outside.push_back(timed_counts.back() + (done.empty() ? 0 : 100));
    const TimePoint start = Clock::now();
    while (Clock::now() == start) {
    }
    return excludes ? seconds_since(start) : Seconds{};
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
    return {[this](StepMeter& meter, int64_t global_step) {
      global_steps.push_back(global_step);
      meter.begin_step();
      meter.end_step(4, {.total_loss = static_cast<double>(global_step)});
    }};
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

TEST(Loop, WhatIsSeenWhenTheStepsAreDoneIsTheTotal) {
  for (const int stop_after : {1000, 4}) {
    Diary diary;
    diary.stop_after = stop_after;
    CountingStep counting;
    const auto outcome = run_loop({.warmup_steps = 2, .timed_steps = 5}, counting.step(), diary);
    EXPECT_EQ(diary.done, durations(outcome.timed)) << stop_after;
    EXPECT_EQ(diary.outside.back(), 100 + outcome.timed.size()) << "after the steps were done";
  }
}

TEST(Loop, TimeOutsideStepsBelongsToNone) {
  Diary diary;
  diary.excludes = true;
  CountingStep counting;
  const auto outcome = run_loop({.warmup_steps = 0, .timed_steps = 3}, counting.step(), diary);
  EXPECT_EQ(diary.outside, (std::vector<size_t>{1, 2, 103}));
  for (size_t i = 1; i < outcome.timed.size(); ++i) {
    const StepRecord& before = outcome.timed[i - 1];
    EXPECT_LT(before.begin + before.duration, outcome.timed[i].begin);
  }
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
