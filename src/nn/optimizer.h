// optimizer.h: turns gradients into the next values, in whatever layout they are stored.
//
// An optimizer sees a parameter as a flat row of floats, padding included, and keeps a row of the
// same length for each number it remembers per value. One call per parameter and step, any order.
// Not thread safe; a call uses the caller's OpenMP threads, and its result does not depend on
// their number. No call but the constructor allocates, except state().
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/parameter_arena.h"

namespace lockstep {

struct OptimizerSettings {
  std::string name = "sgd";  // of optimizer_names()
  double momentum = 0.9;
  double rmsprop_decay = 0.9, rmsprop_momentum = 0.9, rmsprop_epsilon = 1.0;
  double adam_beta1 = 0.9, adam_beta2 = 0.999, adam_epsilon = 1e-8;
  double weight_decay = 4e-5;                // times half the sum of squares, in the loss
  std::optional<double> gradient_clip = {};  // by value, weight decay included
};

struct OptimizedParameter {
  int64_t stored_floats;
  bool decays;
};

// A row that belongs to a parameter: for checkpoints, which may read and write it.
struct NamedState {
  std::string_view name;  // "momentum"
  std::span<float> values;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  // Before the apply() calls of a step. `gradient_scale` multiplies every gradient: 1 / replicas
  // when what arrives is their sum.
  virtual void begin_step(double learning_rate, double gradient_scale = 1) = 0;
  // Writes the next values. Returns the sum of their squares if the parameter decays, else 0: what
  // the next step's L2 loss needs.
  virtual double apply(ParameterId id, std::span<float> values,
                       std::span<const float> gradient) = 0;

  virtual std::vector<NamedState> state(ParameterId id) = 0;
  virtual int64_t steps() const = 0;          // begun so far
  virtual void set_steps(int64_t steps) = 0;  // when training resumes from a checkpoint
};

std::vector<std::string_view> optimizer_names();
// What one of that name remembers of every value: the names of its state().
std::vector<std::string_view> optimizer_memory(std::string_view name);

// One line per setting that makes no sense, in the words of the command line; empty: fine.
std::vector<std::string> problems_in(const OptimizerSettings& settings);

// `parameters`: by id. Throws UsageError with all of problems_in().
std::unique_ptr<Optimizer> make_optimizer(const OptimizerSettings& settings,
                                          std::span<const OptimizedParameter> parameters);

}  // namespace lockstep
