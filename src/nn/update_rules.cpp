#include "nn/update_rules.h"

#include <cmath>

#include "nn/optimizer.h"

// Each loop is compiled for several instruction sets; the one that fits the processor is chosen
// when the program is loaded. The thread sanitizer crashes on that choice, and does without.
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define LOCKSTEP_VECTORISED \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define LOCKSTEP_VECTORISED
#endif

namespace lockstep {
namespace {

LOCKSTEP_VECTORISED float sgd(const Chunk& chunk, SeenGradient seen, float rate) {
  float* const values = chunk.values;
  const float* const gradient = chunk.gradient;
  const int64_t count = chunk.count;
  float squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < count; ++i) {
    const float next = values[i] - rate * seen(gradient[i], values[i]);
    values[i] = next;
    squares += next * next;
  }
  return squares;
}

LOCKSTEP_VECTORISED float momentum(const Chunk& chunk, SeenGradient seen, MomentumRule rule) {
  float* const values = chunk.values;
  const float* const gradient = chunk.gradient;
  float* const sums = chunk.state[0];
  const int64_t count = chunk.count;
  float squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < count; ++i) {
    const float g = seen(gradient[i], values[i]);
    const float sum = rule.momentum * sums[i] + g;
    const float next = values[i] - rule.rate * (g + rule.momentum * sum);
    sums[i] = sum;
    values[i] = next;
    squares += next * next;
  }
  return squares;
}

LOCKSTEP_VECTORISED float rmsprop(const Chunk& chunk, SeenGradient seen, RmspropRule rule) {
  float* const values = chunk.values;
  const float* const gradient = chunk.gradient;
  float* const mean_squares = chunk.state[0];
  float* const moves = chunk.state[1];
  const int64_t count = chunk.count;
  float squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < count; ++i) {
    const float g = seen(gradient[i], values[i]);
    const float mean_square = rule.decay * mean_squares[i] + (1 - rule.decay) * g * g;
    const float move =
        rule.momentum * moves[i] + rule.rate * g / std::sqrt(mean_square + rule.epsilon);
    const float next = values[i] - move;
    mean_squares[i] = mean_square;
    moves[i] = move;
    values[i] = next;
    squares += next * next;
  }
  return squares;
}

LOCKSTEP_VECTORISED float adam(const Chunk& chunk, SeenGradient seen, AdamRule rule) {
  float* const values = chunk.values;
  const float* const gradient = chunk.gradient;
  float* const means = chunk.state[0];
  float* const mean_squares = chunk.state[1];
  const int64_t count = chunk.count;
  float squares = 0;
#pragma omp simd reduction(+ : squares)
  for (int64_t i = 0; i < count; ++i) {
    const float g = seen(gradient[i], values[i]);
    const float mean = rule.beta1 * means[i] + (1 - rule.beta1) * g;
    const float mean_square = rule.beta2 * mean_squares[i] + (1 - rule.beta2) * g * g;
    const float next =
        values[i] - rule.corrected_rate * mean / (std::sqrt(mean_square) + rule.epsilon);
    means[i] = mean;
    mean_squares[i] = mean_square;
    values[i] = next;
    squares += next * next;
  }
  return squares;
}

float single(double number) { return static_cast<float>(number); }

}  // namespace

void SgdRule::begin_step(double learning_rate, int64_t) { rate = single(learning_rate); }
float SgdRule::update(const Chunk& chunk, const SeenGradient& seen) const {
  return sgd(chunk, seen, rate);
}

MomentumRule::MomentumRule(const OptimizerSettings& settings)
    : momentum(single(settings.momentum)) {}
void MomentumRule::begin_step(double learning_rate, int64_t) { rate = single(learning_rate); }
float MomentumRule::update(const Chunk& chunk, const SeenGradient& seen) const {
  return lockstep::momentum(chunk, seen, *this);
}

RmspropRule::RmspropRule(const OptimizerSettings& settings)
    : decay(single(settings.rmsprop_decay)),
      momentum(single(settings.rmsprop_momentum)),
      epsilon(single(settings.rmsprop_epsilon)) {}
void RmspropRule::begin_step(double learning_rate, int64_t) { rate = single(learning_rate); }
float RmspropRule::update(const Chunk& chunk, const SeenGradient& seen) const {
  return rmsprop(chunk, seen, *this);
}

AdamRule::AdamRule(const OptimizerSettings& settings)
    : beta1(single(settings.adam_beta1)),
      beta2(single(settings.adam_beta2)),
      epsilon(single(settings.adam_epsilon)),
      exact_beta1(settings.adam_beta1),
      exact_beta2(settings.adam_beta2) {}
void AdamRule::begin_step(double learning_rate, int64_t steps) {
  const double t = static_cast<double>(steps);
  corrected_rate = single(learning_rate * std::sqrt(1 - std::pow(exact_beta2, t)) /
                          (1 - std::pow(exact_beta1, t)));
}
float AdamRule::update(const Chunk& chunk, const SeenGradient& seen) const {
  return adam(chunk, seen, *this);
}

}  // namespace lockstep
