#include "external/readings.h"

#include <gmock/gmock.h>

#include <cmath>

namespace lockstep {
namespace {

using ::testing::HasSubstr;

struct Input {
  size_t command;
  std::string text;
  bool whole = true;
};

Readings::Found feed(Readings& readings, const Input& input) {
  return readings.add(
      {.command = input.command, .time = Seconds(1), .text = input.text, .whole = input.whole});
}

Program by_steps() {
  Program program;
  program.output.step = R"(rate (\S+))";
  program.output.lines = CombineLines::Mean;
  return program;
}

TEST(Readings, MeanIsAllImagesOverAllTime) {
  const Program program = by_steps();
  Readings readings(program, 1, 1);
  feed(readings, {0, "rate 100"});
  feed(readings, {0, "rate 50"});
  EXPECT_NEAR(*readings.images_per_second(), 2 / (1 / 100.0 + 1 / 50.0), 1e-12);
}

TEST(Readings, LastAndMedianAreOfOneWorkersLines) {
  Program program = by_steps();
  program.output.lines = CombineLines::Median;
  Readings median(program, 1, 1);
  for (const char* line : {"rate 1", "rate 9", "rate 4"}) feed(median, {0, line});
  EXPECT_EQ(median.images_per_second(), 4);
  program.output.lines = CombineLines::Last;
  Readings last(program, 1, 1);
  for (const char* line : {"rate 1", "rate 9", "rate 4"}) feed(last, {0, line});
  EXPECT_EQ(last.images_per_second(), 4);
}

TEST(Readings, WorkersAreCombinedAsDefined) {
  Program program = by_steps();
  program.output.lines = CombineLines::Last;
  const auto combined = [&](CombineWorkers how) {
    program.output.workers = how;
    Readings readings(program, 3, 3);
    for (size_t i = 0; i < 3; ++i)
      feed(readings, {i, "rate " + std::to_string(10 * (i + 1) * (i + 1))});
    return readings.images_per_second();
  };
  EXPECT_EQ(combined(CombineWorkers::Sum), 10 + 40 + 90);
  EXPECT_EQ(combined(CombineWorkers::Median), 40);
  EXPECT_NEAR(*combined(CombineWorkers::Mean), 140 / 3.0, 1e-12);
  EXPECT_EQ(combined(CombineWorkers::Last), 90);
}

TEST(Readings, ASumNeedsEveryWorker) {
  Program program = by_steps();
  program.output.workers = CombineWorkers::Sum;
  Readings readings(program, 2, 2);
  feed(readings, {0, "rate 10"});
  EXPECT_EQ(readings.images_per_second(), std::nullopt);
  EXPECT_EQ(readings.problem(), "1 of 2 workers reported a throughput");
  EXPECT_TRUE(readings.samples().empty());
}

TEST(Readings, MoreLinesThanAreKeptAreAProblemUnlessATotalDecides) {
  Program program = by_steps();
  const auto of_many_lines = [&](const std::string& last) {
    Readings readings(program, 1, 1);
    for (int line = 0; line <= 1'000'000; ++line) feed(readings, {0, "rate 1"});
    feed(readings, {0, last});
    return std::pair(readings.images_per_second(), readings.problem());
  };
  EXPECT_THAT(of_many_lines("rate 2").second, HasSubstr("less often"));
  program.output.total = R"(total (\S+))";
  EXPECT_EQ(of_many_lines("total 7").first, 7);
}

TEST(Readings, NoMatchingLineIsAProblem) {
  const Program program = by_steps();
  Readings readings(program, 1, 1);
  EXPECT_EQ(feed(readings, {0, "hello"}), Readings::Found::Nothing);
  EXPECT_EQ(readings.images_per_second(), std::nullopt);
  EXPECT_THAT(readings.problem(), HasSubstr("no output line matches"));
}

TEST(Readings, APartialLineIsNotRead) {
  const Program program = by_steps();
  Readings readings(program, 1, 1);
  EXPECT_EQ(feed(readings, {0, "rate 20", /*whole=*/false}), Readings::Found::Nothing);
  EXPECT_EQ(readings.images_per_second(), std::nullopt);
  EXPECT_THAT(readings.problem(), HasSubstr("'rate 20' was cut off"));
}

TEST(Readings, AnInvalidRateIsAProblem) {
  for (const char* bad : {"rate nan", "rate inf", "rate 0", "rate -3", "rate fast", "rate 1e999"}) {
    const Program program = by_steps();
    Readings readings(program, 1, 1);
    feed(readings, {0, "rate 10"});
    feed(readings, {0, bad});
    EXPECT_EQ(readings.images_per_second(), std::nullopt) << bad;
    EXPECT_THAT(readings.problem(), HasSubstr(bad));
  }
}

TEST(Readings, ForbiddenLinesEndTheRunAndRequiredLinesMustAppear) {
  Program program = by_steps();
  program.forbidden_line = "diverged";
  program.required_line = "^done$";
  Readings readings(program, 1, 1);
  feed(readings, {0, "rate 10"});
  EXPECT_THAT(readings.problem(), HasSubstr("no output line matches '^done$'"));
  feed(readings, {0, "done"});
  EXPECT_EQ(readings.problem(), "");
  EXPECT_EQ(feed(readings, {0, "it diverged"}), Readings::Found::Forbidden);
  EXPECT_EQ(readings.images_per_second(), std::nullopt);
}

TEST(Readings, TheRunEndsWhenEveryWorkerHasEnoughCountedLines) {
  Program program = by_steps();
  program.output.skip_steps = 1;
  program.output.enough_steps = 2;
  program.output.workers = CombineWorkers::Sum;
  Readings readings(program, 2, 2);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(feed(readings, {0, "rate 10"}), Readings::Found::Number);
  EXPECT_EQ(feed(readings, {1, "rate 1"}), Readings::Found::Number);
  EXPECT_EQ(feed(readings, {1, "rate 20"}), Readings::Found::Number);
  EXPECT_EQ(feed(readings, {1, "rate 20"}), Readings::Found::Enough);
  EXPECT_EQ(readings.images_per_second(), 30);
}

TEST(Readings, SamplesAreIntervalsOfTheWholeRun) {
  Program program = by_steps();
  program.output.workers = CombineWorkers::Sum;
  Readings readings(program, 2, 2);
  for (const char* line : {"rate 10", "rate 12"}) {
    feed(readings, {0, line});
    feed(readings, {1, line});
  }
  feed(readings, {0, "rate 99"});  // the other worker has no such interval
  ASSERT_EQ(readings.samples().size(), 2u);
  EXPECT_EQ(readings.samples()[1].images_per_second, 24);
}

TEST(Readings, RunningMeansWithoutStepNumbersAreNoSamples) {
  Program program = by_steps();
  program.output.lines = CombineLines::Last;
  program.output.step_is = StepMeaning::RunningMean;
  Readings readings(program, 1, 1);
  feed(readings, {0, "rate 10"});
  EXPECT_TRUE(readings.samples().empty());
  EXPECT_EQ(readings.images_per_second(), 10);
}

TEST(Readings, StepLinesOfWorkersAreAddedUpWhileTotalsAreNot) {
  Program program = by_steps();
  program.output.total = R"(total (\S+))";
  program.output.lines = CombineLines::Last;
  program.output.step_of = RateOf::Worker;
  Readings readings(program, 2, 2);
  for (const size_t worker : {0, 1}) {
    feed(readings, {worker, "rate 10"});
    feed(readings, {worker, "total 20"});
  }
  EXPECT_EQ(readings.images_per_second(), 20);
  ASSERT_EQ(readings.samples().size(), 1u);
  EXPECT_EQ(readings.samples()[0].images_per_second, 20);
  EXPECT_EQ(readings.steps()[0].images_per_second, 10);
}

TEST(Readings, LossesAreReadFromStepLinesOrTheirOwn) {
  Program program = by_steps();
  program.output.step = R"(rate (?P<value>\S+) loss (?P<loss>\S+))";
  Readings of_steps(program, 2, 2);
  feed(of_steps, {0, "rate 10 loss 3"});
  feed(of_steps, {0, "rate 10 loss 2"});
  feed(of_steps, {1, "rate 10 loss 1"});
  feed(of_steps, {1, "rate 10 loss NA"});
  EXPECT_EQ(of_steps.last_loss(), 1.5);
  EXPECT_EQ(of_steps.steps()[0].loss, 3);
  EXPECT_EQ(of_steps.steps()[3].loss, std::nullopt);

  program = by_steps();
  program.output.loss = R"(^loss (\S+))";
  Readings own(program, 1, 1);
  EXPECT_EQ(own.last_loss(), std::nullopt);
  feed(own, {0, "loss 7.5"});
  feed(own, {0, "loss 8.", /*whole=*/false});
  EXPECT_EQ(own.last_loss(), 7.5);
}

TEST(Readings, ALossThatIsNotFiniteIsAProblemThatNamesTheStep) {
  Program program = by_steps();
  program.output.step = R"((?P<step>\d+): (?P<value>\S+) loss (?P<loss>\S+))";
  for (const char* bad : {"nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e999"}) {
    Readings readings(program, 1, 1);
    feed(readings, {0, "1: 10 loss 3"});
    EXPECT_EQ(feed(readings, {0, std::string("20: 10 loss ") + bad}), Readings::Found::Forbidden);
    EXPECT_EQ(readings.problem(), std::string("worker 0: the loss is ") + bad + " at step 20");
    EXPECT_EQ(readings.images_per_second(), std::nullopt);
  }
}

TEST(Readings, PhasesAreMeansInSecondsAndUnknownWhereNotPrinted) {
  Program program = by_steps();
  program.output.phases = {{"forward", R"(forward (\S+) ms)"},
                           {"exposed_communication", R"(waited (\S+) ms)"},
                           {"update", R"(update (\S+) ms)"}};
  program.output.phase_unit = PhaseUnit::Millisecond;
  Readings readings(program, 2, 2);
  feed(readings, {0, "forward 10 ms, update 3 ms"});
  feed(readings, {1, "forward 20 ms, update ? ms"});
  const auto phases = readings.mean_phases();
  EXPECT_NEAR(phases[static_cast<size_t>(Phase::Forward)], 0.015, 1e-12);
  EXPECT_TRUE(std::isnan(phases[static_cast<size_t>(Phase::Update)]));
  EXPECT_TRUE(std::isnan(phases[static_cast<size_t>(Phase::Communication)]));
}

}  // namespace
}  // namespace lockstep
