#include "train/steps.h"

#include "nn/l2.h"

namespace lockstep {
namespace {

StepLosses losses_of(const StepOutcome& outcome, double l2) {
  return {.base_loss = outcome.loss,
          .total_loss = outcome.loss + l2,
          .top_1_hits = outcome.top_1_hits,
          .top_5_hits = outcome.top_5_hits};
}

}  // namespace

void training_step(const Trainee& trainee, StepMeter& meter, int64_t global_step) {
  Engine& engine = trainee.engine;
  Strategy& strategy = trainee.strategy;
  meter.begin_step();
  const Batch& batch =
      meter.timed(Phase::Input, [&]() -> const Batch& { return trainee.input.next(); });
  Seconds waited = meter.timed(
      Phase::Update, [&] { return strategy.begin_step(trainee.schedule.at(global_step)); });
  const double l2 = l2_loss(trainee.weight_decay, strategy.sum_of_squares());
  const StepOutcome outcome = meter.timed(Phase::Forward, [&] { return engine.forward(batch); });
  meter.timed(Phase::Backward, [&] {
    // By reference: a std::function of one pointer does not allocate.
    const auto ready = [&](ParameterId id) {
      meter.timed(Phase::Update, [&] { strategy.gradient_ready(id); });
    };
    engine.backward(std::ref(ready));
  });
  waited += meter.timed(Phase::Update, [&] { return strategy.finish_step(); });
  meter.recharge(Phase::Update, Phase::Communication, waited);
  meter.end_step(batch.size(), losses_of(outcome, l2));
}

void inference_step(Engine& engine, InputSource& input, StepMeter& meter) {
  meter.begin_step();
  const Batch& batch = meter.timed(Phase::Input, [&]() -> const Batch& { return input.next(); });
  const StepOutcome outcome = meter.timed(Phase::Forward, [&] { return engine.forward(batch); });
  meter.end_step(
      batch.size(),
      losses_of({.loss = 0, .top_1_hits = outcome.top_1_hits, .top_5_hits = outcome.top_5_hits},
                0));
}

}  // namespace lockstep
