// independent.h: every replica trains alone; also the strategy of a single device.
//
// A parameter is updated the moment that its gradient is ready, while both are still in cache.
#pragma once

#include <algorithm>
#include <utility>

#include "sync/updater.h"

namespace lockstep {

class Independent : public Strategy {
 public:
  explicit Independent(Replicated replicated) : updater_(std::move(replicated)) {}

  void start() override { updater_.values_given(); }
  Seconds begin_step(double learning_rate) override {
    updater_.begin_step(learning_rate);
    return Seconds{0};  // there is nobody to wait for
  }
  void gradient_ready(ParameterId id) override { updater_.apply(id); }
  Seconds finish_step() override {
    updater_.finish_step();
    return Seconds{0};
  }
  double sum_of_squares() const override { return updater_.sum_of_squares(); }
  void carry_on(const Carried& carried) override { updater_.carry_on(carried); }
  void newest_values(std::span<float> values) override {
    std::ranges::copy(updater_.arena().all_values(), values.begin());
  }
  Carried carried() override { return updater_.carried(); }

 private:
  Updater updater_;
};

}  // namespace lockstep
