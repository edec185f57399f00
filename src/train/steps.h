// steps.h: the phases of one step. This is the timed path: no allocation, no logging.
#pragma once

#include "data/pipeline/input_source.h"
#include "engine/engine.h"
#include "measure/step_meter.h"
#include "nn/schedule.h"
#include "sync/strategy.h"

namespace lockstep {

// What a replica trains with; borrows all of it.
struct Trainee {
  Engine& engine;
  InputSource& input;
  Strategy& strategy;
  const Schedule& schedule;
  double weight_decay;
};

void training_step(const Trainee& trainee, StepMeter& meter, int64_t global_step);

// Forward only; the engine is in inference mode. The loss is 0.
void inference_step(Engine& engine, InputSource& input, StepMeter& meter);

// Completes the records of all steps but the last `but` from the outcomes that the engine reports,
// and waits for those. A step does so itself for all that the device need not be held up for.
void read_outcomes(Engine& engine, double weight_decay, StepMeter& meter, int but);

}  // namespace lockstep
