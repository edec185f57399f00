// strategy.h: how this replica's gradients become the next step's values.
//
// One step: begin_step, then gradient_ready for every parameter as backward finishes it, then
// finish_step. All calls come from the thread that runs the engine.
#pragma once

#include <functional>

#include "base/time.h"
#include "tensor/parameter_arena.h"

namespace lockstep {

// Told of every parameter whose values in the arena are new.
using ValuesChanged = std::function<void(ParameterId)>;

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual void start() = 0;  // the arena holds first values; replicas that must agree leave equal
  virtual void begin_step(double learning_rate) = 0;
  virtual void gradient_ready(ParameterId id) = 0;  // may begin to communicate
  // Returns when the values are the next step's: how long this step only waited for communication.
  virtual Seconds finish_step() = 0;

  // Of the current values that decay: what the L2 loss of the next step is made of.
  virtual double sum_of_squares() const = 0;
};

}  // namespace lockstep
