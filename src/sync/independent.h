// independent.h: every replica trains alone; also the strategy of a single device.
//
// A parameter is updated the moment that its gradient is ready, while both are still in cache.
#pragma once

#include "sync/updater.h"

namespace lockstep {

class Independent : public Strategy {
 public:
  explicit Independent(Replicated replicated);

  void start() override;
  Seconds begin_step(double learning_rate) override;
  void gradient_ready(ParameterId id) override;
  Seconds finish_step() override;
  double sum_of_squares() const override;
  void carry_on(const Carried& carried) override;
  void newest_values(std::span<float> values) override;
  Carried carried() override;

 private:
  Updater updater_;
};

}  // namespace lockstep
