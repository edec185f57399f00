#include "sync/updater.h"

#include <algorithm>
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
  squares_ = given_squares_.value_or(squares_);
}

Carried Updater::carried() const {
  const auto values = arena().all_values();
  Carried carried{.values = {values.begin(), values.end()},
                  .optimizer_steps = optimizer_->steps(),
                  .sum_of_squares = squares_};
  for (const std::string_view name : optimizer_memory(replicated_.optimizer.name)) {
    carried.rows.push_back({std::string(name), std::vector<float>(values.size())});
  }
  for (ParameterId id = 0; id < arena().count(); ++id) {
    const std::vector<NamedState> states = optimizer_->state(id);
    for (size_t kind = 0; kind < states.size(); ++kind) {
      std::ranges::copy(states[kind].values,
                        carried.rows[kind].floats.begin() + arena().offset(id));
    }
  }
  return carried;
}

void Updater::carry_on(const Carried& carried) {
  optimizer_->set_steps(carried.optimizer_steps);
  given_squares_ = carried.sum_of_squares;
  for (ParameterId id = 0; id < arena().count(); ++id) {
    for (const NamedState& state : optimizer_->state(id)) {
      const CarriedRow* row = carried.find(state.name);
      if (!row) continue;
      const auto part = std::span(row->floats).subspan(arena().offset(id), state.values.size());
      std::ranges::copy(part, state.values.begin());
    }
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
