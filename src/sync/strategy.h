// strategy.h: how this replica's gradients become the next step's values.
//
// One step: begin_step, forward, then gradient_ready for every parameter as backward finishes it,
// then finish_step. All calls come from the thread that runs the engine. A call throws Error when
// communication failed; the strategy is of no further use then.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/time.h"
#include "measure/transfers.h"
#include "nn/optimizer.h"
#include "tensor/parameter_arena.h"

namespace lockstep {

// Told of every parameter whose values in the arena are new.
using ValuesChanged = std::function<void(ParameterId)>;

// What a strategy works on: one replica's values, and how they are to be updated.
struct Replicated {
  ParameterArena& arena;  // borrowed: shared with the engine
  OptimizerSettings optimizer;
  std::vector<OptimizedParameter> parameters;  // by id
  ValuesChanged values_changed;
  std::vector<std::string> names = {};  // by id, for people; empty: they have none
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  virtual void start() = 0;  // the arena holds first values; replicas that must agree leave equal
  // Returns when the values are those that forward shall read: how long it only waited for them.
  virtual Seconds begin_step(double learning_rate) = 0;
  virtual void gradient_ready(ParameterId id) = 0;  // may begin to communicate
  // Returns when the engine may begin the next step: how long it only waited for communication.
  virtual Seconds finish_step() = 0;

  // After the last step, and only then: the arena holds the newest values, and the others know that
  // this replica ends as it should.
  virtual void finish() {}

  // Of the running step's values that decay: what its L2 loss is made of.
  virtual double sum_of_squares() const = 0;

  // What a step communicates, and when it did in the last one; both in one order, always the same.
  virtual std::span<const Transfer> transfers() const { return {}; }
  virtual std::span<const TransferTimes> transfer_times() const { return {}; }
};

}  // namespace lockstep
