// strategy.h: a strategy turns this replica's gradients into the values of the next step.
//
// One step: begin_step, forward, then gradient_ready for every parameter as backward finishes it,
// then finish_step. All calls come from the thread that runs the engine. A call throws Error when
// communication failed; the strategy is of no further use then.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "measure/transfers.h"
#include "nn/device_parameters.h"
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
  DeviceParameters* device = nullptr;   // borrowed; if there are some, nothing lives in the arena
};

// What goes from one step to the next, for checkpoints. Every row is laid out like the arena's
// values; the names say what it is: "momentum" of an optimizer, "delayed_gradient" of a strategy.
struct CarriedRow {
  std::string name;
  std::vector<float> floats;
};
struct Carried {
  std::vector<float> values;  // the newest
  int64_t optimizer_steps = 0;
  std::optional<double> sum_of_squares = {};  // of `values`; absent: compute it when needed
  std::vector<CarriedRow> rows = {};
  std::optional<LossScaleState> loss_scale = {};  // absent: it does not adapt

  const CarriedRow* find(std::string_view name) const;  // null: there is none
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  // Before start(), on all replicas alike: training resumes from there. The values are taken from
  // the arena, as always; rows that are missing begin as they would in a new run.
  virtual void carry_on(const Carried& carried) = 0;

  virtual void start() = 0;  // the arena holds first values; replicas that must agree leave equal
  // Returns when the values are those that forward shall read: how long it only waited for them.
  virtual Seconds begin_step(double learning_rate) = 0;
  virtual void gradient_ready(ParameterId id) = 0;  // may begin to communicate
  // Returns when the engine may begin the next step: how long it only waited for communication.
  virtual Seconds finish_step() = 0;

  // Between two steps, each by any replica alone. The newest values, laid out like the arena's...
  virtual void newest_values(std::span<float> values) = 0;
  // ...and all that the next step depends on.
  virtual Carried carried() = 0;

  // After the last step, by all replicas: returns when the updates of all of them are made. Then
  // newest_values() and carried() are those of the whole run, on any replica.
  virtual void drain() {}
  // After the last step, and only then: the arena holds the newest values, and the others know that
  // this replica ends as it should.
  virtual void finish() {}

  // Of the running step's values that decay: what its L2 loss is made of. 0 when they live on a
  // device: the engine's outcome has it.
  virtual double sum_of_squares() const = 0;

  // What a step communicates, and when it did in the last one; both in one order, always the same.
  virtual std::span<const Transfer> transfers() const { return {}; }
  virtual std::span<const TransferTimes> transfer_times() const { return {}; }
};

}  // namespace lockstep
