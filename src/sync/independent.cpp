#include "sync/independent.h"

#include <utility>

#include "nn/l2.h"

namespace lockstep {

Independent::Independent(ParameterArena& arena, std::unique_ptr<Optimizer> optimizer,
                         std::vector<ParameterId> decaying, ValuesChanged values_changed)
    : arena_(arena),
      optimizer_(std::move(optimizer)),
      decaying_(std::move(decaying)),
      values_changed_(std::move(values_changed)) {}

void Independent::start() {
  squares_ = 0;
  for (const ParameterId id : decaying_) {
    squares_ += lockstep::sum_of_squares(arena_.values(id));
  }
}

void Independent::begin_step(double learning_rate) {
  optimizer_->begin_step(learning_rate);
  next_squares_ = 0;
}

void Independent::gradient_ready(ParameterId id) {
  next_squares_ += optimizer_->apply(id, arena_.values(id), arena_.gradient(id));
  values_changed_(id);
}

Seconds Independent::finish_step() {
  squares_ = next_squares_;
  return Seconds{0};  // there is nobody to wait for
}

}  // namespace lockstep
