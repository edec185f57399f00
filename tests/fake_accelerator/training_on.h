// training_on.h: trains a small network on one engine, for tests that compare two of them.
#pragma once

#include <gtest/gtest.h>

#include "data/pipeline/synthetic.h"
#include "engine/reference/reference_engine.h"
#include "engine/reference/replica.h"
#include "engine/reference/small_networks.h"
#include "engine/torch/torch_engine.h"
#include "sync/strategies.h"
#include "train/capture.h"
#include "train/first_values.h"
#include "train/replicated.h"
#include "train/steps.h"

namespace lockstep {

inline constexpr double kDecay = 0.01;

struct Where {
  const char* name;
  MakeEngine make;
  const char* device;
};
inline const Where kHost = {"reference", make_reference_engine, "cpu"};
inline const Where kFake = {"fake", make_torch_engine, "privateuseone"};

struct Format {
  Dtype dtype = Dtype::F32;
  LossScale scale = {};
  bool on_device = true;
  bool graph = false;
  Schedule schedule = {.rates = {1e-4}};
  DeviceCommunicator* devices = nullptr;  // borrowed; null: a replica on its own
};

// One replica, from first values on.
class Training {
 public:
  Training(const Where& where, const SmallNetwork& network, const OptimizerSettings& optimizer,
           const Format& format = {})
      : network_(network),
        engine_(where.make(network.graph, {.batch = network.batch,
                                           .seed = 3,
                                           .device = where.device,
                                           .parameters_on_device = format.on_device,
                                           .dtype = format.dtype,
                                           .loss_scale = format.scale,
                                           .graph = format.graph})),
        arena_(make_arena(*engine_)),
        input_({.image = network.graph.shape(network.graph.image()),
                .batch = network.batch,
                .labels = classes_of(network.graph),
                .seed = 5}),
        optimizer_(optimizer),
        schedule_(format.schedule),
        devices_(format.devices) {
    start_from_first_values(network.graph, 7, *engine_, arena_);
    begin();
  }

  // Of an engine on the host.
  void start_with_doubled_values() {
    for (float& value : arena_.all_values()) value *= 2;
    for (ParameterId id = 0; id < arena_.count(); ++id) engine_->values_changed(id);
    begin();
  }

  void train(int steps) {
    const Trainee trainee = {*engine_, input_, *strategy_, schedule_, kDecay};
    for (int i = 0; i < steps; ++i) training_step(trainee, meter_, global_step_++);
  }
  void read_losses() { read_outcomes(*engine_, kDecay, meter_, 0); }

  std::vector<float> plain(ParameterId id) {
    std::vector<float> all(static_cast<size_t>(arena_.floats()));
    strategy_->newest_values(all);
    std::vector<float> values(
        static_cast<size_t>(engine_->parameters()[static_cast<size_t>(id)].shape.elements()));
    engine_->read_plain(id, std::span(all).subspan(arena_.offset(id), arena_.size(id)), values);
    return values;
  }

  Checkpoint capture() {
    CheckpointFacts facts;
    facts.optimizer = optimizer_.name;
    return lockstep::capture(facts, *engine_, arena_, *strategy_);
  }
  void resume(const Checkpoint& checkpoint, int64_t step) {
    load(checkpoint, *engine_, arena_);
    begin(&checkpoint);
    engine_->count_from(step);
    global_step_ = step;
    for (int64_t i = 0; i < step; ++i) input_.next();
  }

  std::optional<LossScaleState> loss_scale() { return engine_->device_parameters()->loss_scale(); }
  const StepMeter& meter() const { return meter_; }
  Engine& engine() { return *engine_; }
  int parameters() const { return arena_.count(); }

 private:
  void begin(const Checkpoint* from = nullptr) {
    strategy_ = find_strategy(devices_ ? "replicated" : "independent")
                    .make(replicated_of(*engine_, arena_, optimizer_), {.devices = devices_},
                          {.bucket_bytes = 256});
    if (from) strategy_->carry_on(carried_in(*from, *engine_, arena_));
    strategy_->start();
  }

  SmallNetwork network_;
  std::unique_ptr<Engine> engine_;
  ParameterArena arena_;
  SyntheticSource input_;
  OptimizerSettings optimizer_;
  Schedule schedule_;
  DeviceCommunicator* devices_;
  std::unique_ptr<Strategy> strategy_;
  StepMeter meter_{100};
  int64_t global_step_ = 0;
};

inline void expect_same_values(Training& actual, Training& expected, double tolerance) {
  for (ParameterId id = 0; id < expected.parameters(); ++id) {
    const std::vector<float> truth = expected.plain(id);
    EXPECT_LE(distance(actual.plain(id), truth), tolerance * norm(truth) + 1e-6)
        << "parameter " << id;
  }
}

inline void expect_same(Training& actual, Training& expected) {
  actual.read_losses();
  expected.read_losses();
  expect_same_values(actual, expected, 1e-4);
  const auto records = actual.meter().records(), truths = expected.meter().records();
  ASSERT_EQ(records.size(), truths.size());
  for (size_t i = 0; i < truths.size(); ++i) {
    const StepLosses &losses = records[i].losses, &truth = truths[i].losses;
    EXPECT_NEAR(losses.base_loss, truth.base_loss, 1e-3 * truth.base_loss) << "step " << i;
    EXPECT_NEAR(losses.total_loss, truth.total_loss, 1e-3 * truth.total_loss) << "step " << i;
    EXPECT_EQ(losses.top_1_hits, truth.top_1_hits) << "step " << i;
    EXPECT_EQ(losses.top_5_hits, truth.top_5_hits) << "step " << i;
  }
}

}  // namespace lockstep
