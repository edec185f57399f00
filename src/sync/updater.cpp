#include "sync/updater.h"

#include <utility>

#include "nn/l2.h"

namespace lockstep {

Updater::Updater(Replicated replicated)
    : replicated_(std::move(replicated)),
      optimizer_(make_optimizer(replicated_.optimizer, replicated_.parameters)) {}

void Updater::values_given() {
  squares_ = 0;
  for (ParameterId id = 0; const OptimizedParameter& parameter : replicated_.parameters) {
    replicated_.values_changed(id);
    if (parameter.decays) squares_ += lockstep::sum_of_squares(arena().values(id));
    ++id;
  }
}

void Updater::begin_step(double learning_rate, double gradient_scale) {
  optimizer_->begin_step(learning_rate, gradient_scale);
  next_squares_ = 0;
}

void Updater::apply(ParameterId id, std::span<const float> gradient) {
  next_squares_ += optimizer_->apply(id, arena().values(id), gradient);
  replicated_.values_changed(id);
}

}  // namespace lockstep
