#include "measure/step_meter.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

void spin() {
  const TimePoint start = Clock::now();
  while (Clock::now() == start) {
  }
}

double sum_of_phases(const StepRecord& step) {
  Seconds sum{};
  for (const Seconds phase : step.phases) sum += phase;
  return sum.count();
}

TEST(StepMeter, PhasesAddUpToTheStep) {
  StepMeter meter(1);
  meter.begin_step();
  meter.timed(Phase::Input, spin);
  meter.timed(Phase::Forward, spin);
  meter.timed(Phase::Backward, [&] {
    spin();
    meter.timed(Phase::Update, spin);
    spin();
  });
  meter.end_step(8, {.base_loss = 1.5});
  const StepRecord& step = meter.records()[0];
  EXPECT_NEAR(sum_of_phases(step), step.duration.count(), 1e-12);
  EXPECT_GT(step.phase(Phase::Backward).count(), 0);
  EXPECT_GT(step.phase(Phase::Update).count(), 0);
  EXPECT_EQ(step.phase(Phase::Communication).count(), 0);
  EXPECT_EQ(step.images, 8);
  EXPECT_EQ(step.losses.base_loss, 1.5);
}

TEST(StepMeter, TimeBelongsToTheInnermostPhase) {
  StepMeter meter(1);
  meter.begin_step();
  const TimePoint before = Clock::now();
  Seconds inner{};
  meter.timed(Phase::Backward, [&] {
    meter.timed(Phase::Update, [&] {
      const TimePoint start = Clock::now();
      for (int i = 0; i < 1000; ++i) spin();
      inner = seconds_since(start);
    });
  });
  const Seconds outer = seconds_since(before);
  meter.end_step(1, {});
  EXPECT_GE(meter.records()[0].phase(Phase::Update), inner);
  EXPECT_LE(meter.records()[0].phase(Phase::Backward), outer - inner);
}

TEST(StepMeter, AThrowingPhaseIsStillCharged) {
  StepMeter meter(1);
  meter.begin_step();
  EXPECT_THROW(meter.timed(Phase::Forward,
                           [] {
                             spin();
                             throw 1;
                           }),
               int);
  meter.end_step(1, {});
  EXPECT_GT(meter.records()[0].phase(Phase::Forward).count(), 0);
}

TEST(StepMeter, RechargingKeepsTheSum) {
  StepMeter meter(1);
  meter.begin_step();
  meter.timed(Phase::Update, spin);
  meter.recharge(Phase::Update, Phase::Communication, Seconds(1e-9));
  meter.end_step(1, {});
  EXPECT_DOUBLE_EQ(meter.records()[0].phase(Phase::Communication).count(), 1e-9);
}

TEST(StepMeter, ResultsOfTimedWorkPassThrough) {
  StepMeter meter(1);
  meter.begin_step();
  int target = 3;
  int& reference = meter.timed(Phase::Input, [&]() -> int& { return target; });
  EXPECT_EQ(&reference, &target);
}

TEST(StepMeter, TimeAfterAStepBelongsToItUntilTheNextBegins) {
  StepMeter meter(2);
  meter.begin_step();
  meter.end_step(1, {});
  const StepRecord& first = meter.records()[0];
  const Seconds without = first.duration;
  spin();
  meter.timed(Phase::Communication, spin);
  meter.settle();
  EXPECT_GT(first.duration, without);
  EXPECT_GT(first.phase(Phase::Communication).count(), 0);
  meter.begin_step();
  meter.end_step(1, {});
  const StepRecord& second = meter.records()[1];
  EXPECT_NEAR((first.begin + first.duration).count(), second.begin.count(), 1e-12);
  EXPECT_NEAR(sum_of_phases(first), first.duration.count(), 1e-12);
  EXPECT_EQ(second.phase(Phase::Communication).count(), 0);
}

TEST(StepMeter, ExcludedTimeBelongsToNoStep) {
  StepMeter meter(1);
  meter.begin_step();
  meter.end_step(1, {});
  const TimePoint before = Clock::now();
  for (int i = 0; i < 1000; ++i) spin();
  const Seconds spent = seconds_since(before);
  meter.exclude(spent);
  meter.close();
  const StepRecord& step = meter.records()[0];
  EXPECT_LT(step.duration, Seconds(Clock::now() - before));
  EXPECT_NEAR(sum_of_phases(step), step.duration.count(), 1e-9);
  EXPECT_GE(step.duration.count(), 0);
}

TEST(StepMeter, AClosedStepGrowsNoMore) {
  StepMeter meter(1);
  meter.begin_step();
  meter.end_step(1, {});
  meter.close();
  const Seconds closed = meter.records()[0].duration;
  spin();
  meter.timed(Phase::Communication, spin);
  meter.settle();
  EXPECT_EQ(meter.records()[0].duration, closed);
}

TEST(StepMeter, RecordsStayWhereTheyAre) {
  StepMeter meter(3);
  const StepRecord* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    meter.begin_step();
    meter.end_step(1, {});
    if (i == 0) first = meter.records().data();
  }
  EXPECT_EQ(meter.records().data(), first);
  EXPECT_LE(meter.records()[0].begin, meter.records()[2].begin);
}

}  // namespace
}  // namespace lockstep
