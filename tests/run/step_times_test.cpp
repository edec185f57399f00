// Where the time of real runs goes: all of it to a step, and in a step to a phase.
#include <gmock/gmock.h>

#include <numeric>

#include "report/results/run_result.h"
#include "support/paths.h"
#include "support/real_runs.h"
#include "support/temporary_directory.h"
#include "sync/strategies.h"

namespace lockstep {
namespace {

// The number that follows these words, where they stand last.
double rate_after(const std::string& words, const std::string& text) {
  const size_t place = text.rfind(words);
  return place == std::string::npos ? 0 : std::stod(text.substr(place + words.size()));
}

class EveryStrategy : public ::testing::TestWithParam<std::string> {};

// The last step line is printed when the total is known: but for its one decimal they are equal.
void expect_last_line_has_the_total(const std::string& out, int steps) {
  const double total = rate_after("total images/sec: ", out);
  EXPECT_NEAR(rate_after("\n" + std::to_string(steps) + "\timages/sec: ", out), total,
              0.06 + 1e-6 * total)
      << out;
}

TEST_P(EveryStrategy, TheLastStepLineHasTheTotal) {
  const TemporaryDirectory directory;
  const Ran ran = run_really({lockstep_program(), "train", "--model=lenet", "--batch-size=4",
                              "--num-devices=2", "--threads=1", "--num-warmup-batches=1",
                              "--num-batches=20", "--variable-update", GetParam()},
                             directory.path().string());
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  expect_last_line_has_the_total(ran.out, 20);
}

TEST_P(EveryStrategy, TheLastStepLineHasTheTotalWithCheckpointsAndEvaluations) {
  const TemporaryDirectory directory;
  std::vector<std::string> words = {lockstep_program(),
                                    "train",
                                    "--model=lenet",
                                    "--batch-size=4",
                                    "--num-devices=2",
                                    "--threads=1",
                                    "--num-warmup-batches=1",
                                    "--num-batches=20",
                                    "--eval-during-training-every-n-steps=7",
                                    "--num-eval-batches=2",
                                    "--variable-update",
                                    GetParam()};
  if (find_strategy(GetParam()).communicates) {  // a checkpoint stores one set of values
    words.insert(words.end(), {"--save-model-steps=7", "--train-dir=t"});
  }
  const Ran ran = run_really(words, directory.path().string());
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  expect_last_line_has_the_total(ran.out, 20);
  const size_t line = ran.out.find("\n20\timages/sec"),
               evaluation = ran.out.rfind("at global_step 21");
  EXPECT_LT(line, evaluation) << ran.out;
}

TEST_P(EveryStrategy, AllTimeBelongsToAStepAndAPhase) {
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "r.json").string();
  const Ran ran =
      run_really({lockstep_program(), "train", "--model=lenet", "--batch-size=4", "--num-devices=2",
                  "--threads=1", "--num-warmup-batches=2", "--num-batches=20", "--result", file,
                  "--variable-update", GetParam()},
                 directory.path().string());
  ASSERT_EQ(ran.outcome.end, RunEnd::Completed) << ran.err;
  for (const RankResult& rank : read_result(file).ranks) {
    double steps = 0;
    for (size_t i = 0; i < rank.steps.size(); ++i) {
      const StepRecord& step = rank.steps[i];
      const Seconds phases = std::accumulate(step.phases.begin(), step.phases.end(), Seconds{0});
      EXPECT_NEAR(phases.count(), step.duration.count(), 1e-9) << rank.rank << ", step " << i;
      steps += step.duration.count();
      if (i == 0) continue;
      const StepRecord& before = rank.steps[i - 1];
      EXPECT_NEAR((before.begin + before.duration).count(), step.begin.count(), 1e-9);
    }
    EXPECT_NEAR(steps, rank.total.count(), 1e-9) << rank.rank;
  }
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const StrategyKind& kind : strategies()) names.emplace_back(kind.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(OfTheTable, EveryStrategy, ::testing::ValuesIn(strategy_names()),
                         [](const auto& strategy) { return strategy.param; });

}  // namespace
}  // namespace lockstep
