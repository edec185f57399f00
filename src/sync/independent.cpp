#include "sync/independent.h"

#include <algorithm>
#include <utility>

namespace lockstep {

Independent::Independent(Replicated replicated) : updater_(std::move(replicated)) {}

void Independent::start() { updater_.values_given(); }

Seconds Independent::begin_step(double learning_rate) {
  updater_.begin_step(learning_rate);
  return Seconds{0};  // there is nobody to wait for
}

void Independent::gradient_ready(ParameterId id) { updater_.apply(id); }

Seconds Independent::finish_step() {
  updater_.finish_step();
  return Seconds{0};
}

double Independent::sum_of_squares() const { return updater_.sum_of_squares(); }

void Independent::carry_on(const Carried& carried) { updater_.carry_on(carried); }

void Independent::newest_values(std::span<float> values) {
  std::ranges::copy(updater_.arena().all_values(), values.begin());
}

Carried Independent::carried() { return updater_.carried(); }

}  // namespace lockstep
