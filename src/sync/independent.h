// independent.h: every replica trains alone; with one device, that is all there is to do.
//
// A parameter is updated the moment that its gradient is ready, while both are still in cache.
#pragma once

#include <memory>
#include <vector>

#include "nn/optimizer.h"
#include "sync/strategy.h"

namespace lockstep {

class Independent : public Strategy {
 public:
  // `decaying`: the parameters that the L2 loss covers. Borrows the arena.
  Independent(ParameterArena& arena, std::unique_ptr<Optimizer> optimizer,
              std::vector<ParameterId> decaying, ValuesChanged values_changed);

  void start() override;
  void begin_step(double learning_rate) override;
  void gradient_ready(ParameterId id) override;
  Seconds finish_step() override;
  double sum_of_squares() const override { return squares_; }

 private:
  ParameterArena& arena_;                 // borrowed: shared with the engine
  std::unique_ptr<Optimizer> optimizer_;  // owned: its momentum belongs to this replica
  std::vector<ParameterId> decaying_;
  ValuesChanged values_changed_;
  double squares_ = 0;       // of the values that the running step reads
  double next_squares_ = 0;  // of those updated so far
};

}  // namespace lockstep
