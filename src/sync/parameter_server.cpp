#include "sync/parameter_server.h"

#include <algorithm>

namespace lockstep {
namespace {

constexpr const char* kStaged = "staged_values";

}  // namespace

void ParameterServer::start() {
  client_.start();
  squares_ = client_.pulled_squares();
  if (options_.staged && !has_staged_) make_room();
}

void ParameterServer::make_room() { staged_ = Memory(client_.arena().all_values().size_bytes()); }

void ParameterServer::carry_on(const Carried& carried) {
  client_.carry_on(carried);
  const CarriedRow* row = carried.find(kStaged);
  if (!row || !options_.staged) return;
  make_room();
  std::ranges::copy(row->floats, staged_.floats().begin());
  staged_squares_ = client_.squares_of(row->floats);
  has_staged_ = true;
}

void ParameterServer::newest_values(std::span<float> values) {
  finish_staged();
  client_.pull_newest(values);
}

Carried ParameterServer::carried() {
  finish_staged();
  Carried carried = client_.carried();
  if (has_staged_) {
    const auto staged = staged_.floats();
    carried.rows.push_back({kStaged, {staged.begin(), staged.end()}});
  }
  return carried;
}

Seconds ParameterServer::begin_step(double learning_rate) {
  client_.begin_step(learning_rate);
  ready_ = pushed_ = 0;
  return options_.staged ? swap_staged() : fetch();
}

Seconds ParameterServer::fetch() {
  const Seconds waited = client_.exchange().wait(client_.pull_all(client_.arena().all_values()));
  client_.tell_engine();
  squares_ = client_.pulled_squares();
  return waited;
}

Seconds ParameterServer::finish_staged() {
  if (fetched_ == 0) return Seconds{0};
  const Seconds waited = client_.exchange().wait(fetched_);
  staged_squares_ = client_.pulled_squares();
  fetched_ = 0;
  return waited;
}

Seconds ParameterServer::swap_staged() {
  const Seconds waited = finish_staged();
  if (has_staged_) {
    std::ranges::copy(staged_.floats(), client_.arena().all_values().begin());
    client_.tell_engine();
    squares_ = staged_squares_;
  }
  fetched_ = client_.pull_all(staged_.floats());
  has_staged_ = true;
  return waited;
}

void ParameterServer::gradient_ready(ParameterId id) {
  const auto slices = client_.slices();
  for (; ready_ < std::ssize(slices) && slices[ready_].last == id; ++ready_) {
    client_.gradient_ready(ready_);
  }
  if (options_.overlap) push_up_to(ready_);
}

void ParameterServer::push_up_to(int slice) {
  for (; pushed_ < slice; ++pushed_) last_push_ = client_.post(pushed_, kNoSlice);
}

// The next backward writes over the gradients, so they must be on their way.
Seconds ParameterServer::finish_step() {
  push_up_to(static_cast<int>(client_.slices().size()));
  return client_.exchange().wait(last_push_);
}

}  // namespace lockstep
