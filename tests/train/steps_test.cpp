#include "train/steps.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/pipeline/synthetic.h"
#include "engine/reference/reference_engine.h"
#include "nn/l2.h"
#include "nn/parameters.h"
#include "sync/independent.h"
#include "train/first_values.h"
#include "train/replicated.h"

namespace lockstep {
namespace {

constexpr int kBatch = 8, kClasses = 5;
constexpr double kDecay = 0.01;

Graph tiny_network() {
  Graph graph({3, 8, 8});
  NodeId x = graph.add("conv0", Conv{.filters = 4, .kernel = 3, .stride = 2}, {graph.image()});
  x = graph.add("batchnorm0", BatchNorm{}, {x});
  x = graph.add("relu0", Relu{}, {x});
  x = graph.add("affine0", Dense{.units = kClasses}, {x});
  graph.add("loss0", SoftmaxLoss{}, {x});
  return graph;
}

struct Training {
  explicit Training(Mode mode = Mode::Training)
      : engine(make_reference_engine(graph, {.batch = kBatch, .mode = mode})),
        arena(make_arena(*engine)) {
    start_from_first_values(graph, 7, *engine, arena);
    strategy = std::make_unique<Independent>(
        replicated_of(*engine, arena, {.name = "sgd", .weight_decay = kDecay}));
    strategy->start();
  }
  void step(int64_t global_step) {
    training_step({*engine, input, *strategy, schedule, kDecay}, meter, global_step);
  }
  double squares() const {
    double sum = 0;
    for (ParameterId id = 0; const ParameterInfo& info : engine->parameters()) {
      if (info.decays) sum += sum_of_squares(arena.values(id));
      ++id;
    }
    return sum;
  }

  Graph graph = tiny_network();
  std::unique_ptr<Engine> engine;
  ParameterArena arena;
  SyntheticSource input{{.image = {3, 8, 8}, .batch = kBatch, .labels = kClasses, .seed = 3}};
  std::unique_ptr<Strategy> strategy;
  Schedule schedule{.rates = {0.001}};
  StepMeter meter{100};
};

TEST(TrainingStep, TotalLossIsBaseLossAndThePenaltyOfTheValuesThatItUsed) {
  Training training;
  for (int64_t i = 0; i < 3; ++i) {
    const double penalty = kDecay * 0.5 * training.squares();
    training.step(i);
    const StepLosses& losses = training.meter.records().back().losses;
    EXPECT_NEAR(losses.total_loss - losses.base_loss, penalty, 1e-6 * penalty);
  }
}

TEST(TrainingStep, ChangesEveryParameter) {
  Training training;
  std::vector<float> before(training.arena.all_values().begin(), training.arena.all_values().end());
  training.step(0);
  for (ParameterId id = 0; id < training.arena.count(); ++id) {
    EXPECT_NE(training.arena.values(id)[0], before[training.arena.offset(id)]) << id;
  }
}

TEST(TrainingStep, PhasesAreRecorded) {
  Training training;
  training.step(0);
  const StepRecord& record = training.meter.records()[0];
  for (const Phase phase : {Phase::Input, Phase::Forward, Phase::Backward, Phase::Update}) {
    EXPECT_GT(record.phase(phase).count(), 0) << static_cast<int>(phase);
  }
  EXPECT_EQ(record.phase(Phase::Communication).count(), 0);
  EXPECT_EQ(record.images, kBatch);
}

TEST(TrainingStep, TheSameSeedsGiveTheSameLosses) {
  Training one, two;
  for (int64_t i = 0; i < 4; ++i) {
    one.step(i);
    two.step(i);
    EXPECT_EQ(one.meter.records().back().losses.total_loss,
              two.meter.records().back().losses.total_loss);
  }
}

TEST(InferenceStep, HasNoLossAndNoBackward) {
  Training training(Mode::Inference);
  inference_step(*training.engine, training.input, training.meter);
  const StepRecord& record = training.meter.records()[0];
  EXPECT_EQ(record.losses.total_loss, 0);
  EXPECT_EQ(record.phase(Phase::Backward).count(), 0);
  EXPECT_GT(record.phase(Phase::Forward).count(), 0);
}

}  // namespace
}  // namespace lockstep
