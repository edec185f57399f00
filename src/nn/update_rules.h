// update_rules.h: the arithmetic of the optimizers, on one chunk of one parameter.
//
// A rule holds the numbers of the current step, in float, and passes once over values, gradient
// and its own state. Where value and gradient are zero, the padding of stored layouts, every rule
// leaves the value zero: its epsilon, where it has one, is above zero.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace lockstep {

struct OptimizerSettings;

// What a rule remembers of each value between steps.
struct StateKind {
  std::string_view name;
  float initial;
};

struct Chunk {
  int64_t count;
  float* values;
  const float* gradient;
  std::array<float*, 2> state;  // in the order of the rule's kState
};

// The gradient as rules see it: of the mean over replicas plus weight decay, then clipped by value.
struct SeenGradient {
  float scale = 1;  // 1 / replicas when gradients were summed
  float weight_decay = 0;
  float limit = std::numeric_limits<float>::infinity();

  float operator()(float gradient, float value) const {
    const float whole = scale * gradient + weight_decay * value;
    const float capped = limit < whole ? limit : whole;
    return capped < -limit ? -limit : capped;
  }
};

// Each update() returns the sum of squares of the new values. begin_step(): `steps` counts from 1.

struct SgdRule {
  static constexpr std::array<StateKind, 0> kState = {};
  float rate = 0;

  explicit SgdRule(const OptimizerSettings&) {}
  void begin_step(double learning_rate, int64_t steps);
  float update(const Chunk& chunk, const SeenGradient& seen) const;
};

// Nesterov's, with the learning rate outside the accumulator: a = m a + g; w -= rate (g + m a).
struct MomentumRule {
  static constexpr std::array<StateKind, 1> kState = {{{"momentum", 0}}};
  float rate = 0, momentum;

  explicit MomentumRule(const OptimizerSettings& settings);
  void begin_step(double learning_rate, int64_t steps);
  float update(const Chunk& chunk, const SeenGradient& seen) const;
};

// s = d s + (1-d) g^2; a = m a + rate g / sqrt(s + epsilon); w -= a. The mean square starts at one.
struct RmspropRule {
  static constexpr std::array<StateKind, 2> kState = {{{"mean_square", 1}, {"momentum", 0}}};
  float rate = 0, decay, momentum, epsilon;

  explicit RmspropRule(const OptimizerSettings& settings);
  void begin_step(double learning_rate, int64_t steps);
  float update(const Chunk& chunk, const SeenGradient& seen) const;
};

// m = b1 m + (1-b1) g; v = b2 v + (1-b2) g^2; w -= rate_t m / (sqrt(v) + epsilon), where
// rate_t = rate sqrt(1 - b2^t) / (1 - b1^t) makes up for both averages starting at zero.
struct AdamRule {
  static constexpr std::array<StateKind, 2> kState = {{{"mean", 0}, {"mean_square", 0}}};
  float corrected_rate = 0, beta1, beta2, epsilon;
  double exact_beta1, exact_beta2;  // their powers need more digits

  explicit AdamRule(const OptimizerSettings& settings);
  void begin_step(double learning_rate, int64_t steps);
  float update(const Chunk& chunk, const SeenGradient& seen) const;
};

}  // namespace lockstep
