#include "train/steps.h"

#include <algorithm>

#include "nn/l2.h"

namespace lockstep {
namespace {

// The host waits for gradients in backward, and by then forward is done, too.
void charge_forward(StepRecord& record, Seconds forward) {
  Seconds &queued = record.phase(Phase::Forward), &backward = record.phase(Phase::Backward);
  const Seconds both = queued + backward;
  queued = std::min(forward, both);
  backward = both - queued;
}

// The host's clock saw how long it took to queue the work. The device tells how long the work took;
// what remains of the step is waiting for input, or between steps.
void charge(StepRecord& record, const DevicePhases& device) {
  if (!device.updates) return charge_forward(record, device.forward);
  Seconds total{};
  for (const Seconds phase : record.phases) total += phase;
  const Seconds worked = device.forward + device.backward + device.communication + device.update;
  // Steps overlap a little, so a device may have worked longer than the step took.
  const double part = worked > total ? total / worked : 1.0;
  const Seconds input = std::min(record.phase(Phase::Input), total - worked * part);
  record.phases = {};
  record.phase(Phase::Input) = input;
  record.phase(Phase::Forward) = device.forward * part;
  record.phase(Phase::Backward) = device.backward * part;
  record.phase(Phase::Communication) = device.communication * part;
  record.phase(Phase::Update) = device.update * part;
  record.phase(Phase::Between) = total - worked * part - input;
}

void complete(StepRecord& record, const StepOutcome& outcome, double weight_decay) {
  StepLosses& losses = record.losses;
  losses.base_loss = outcome.loss;
  losses.total_loss += outcome.loss + l2_loss(weight_decay, outcome.sum_of_squares);
  losses.top_1_hits = outcome.top_1_hits;
  losses.top_5_hits = outcome.top_5_hits;
  if (outcome.device) charge(record, *outcome.device);
}

// `losses`: what is known of them besides the engine's outcome.
void end_step(Engine& engine, double weight_decay, StepMeter& meter, int images,
              const StepLosses& losses) {
  meter.end_step(images, losses);
  meter.await_losses();
  read_outcomes(engine, weight_decay, meter, engine.outcome_lag());
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
  meter.timed(Phase::Forward, [&] { engine.start_forward(batch); });
  meter.timed(Phase::Backward, [&] {
    // By reference: a std::function of one pointer does not allocate.
    const auto ready = [&](ParameterId id) {
      meter.timed(Phase::Update, [&] { strategy.gradient_ready(id); });
    };
    engine.backward(std::ref(ready));
  });
  waited += meter.timed(Phase::Update, [&] { return strategy.finish_step(); });
  meter.recharge(Phase::Update, Phase::Communication, waited);
  end_step(engine, trainee.weight_decay, meter, batch.size(), {.total_loss = l2});
}

void inference_step(Engine& engine, InputSource& input, StepMeter& meter) {
  meter.begin_step();
  const Batch& batch = meter.timed(Phase::Input, [&]() -> const Batch& { return input.next(); });
  meter.timed(Phase::Forward, [&] { engine.start_forward(batch); });
  end_step(engine, /*weight_decay=*/0, meter, batch.size(), {});
}

void read_outcomes(Engine& engine, double weight_decay, StepMeter& meter, int but) {
  while (meter.awaited() > but) {
    complete(meter.first_awaited(), engine.outcome(meter.awaited() - 1), weight_decay);
    meter.losses_complete();
  }
}

}  // namespace lockstep
