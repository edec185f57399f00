#include "sync/parameter_server.h"

#include <algorithm>

namespace lockstep {

void ParameterServer::start() {
  client_.start();
  squares_ = client_.pulled_squares();
  if (options_.staged) staged_ = Memory(client_.arena().all_values().size_bytes());
}

Seconds ParameterServer::begin_step(double learning_rate) {
  client_.begin_step(learning_rate);
  ready_ = pushed_ = 0;
  return options_.staged ? swap_staged() : fetch();
}

Seconds ParameterServer::fetch() {
  const Seconds waited = client_.courier().wait(client_.pull_all(client_.arena().all_values()));
  client_.tell_engine();
  squares_ = client_.pulled_squares();
  return waited;
}

Seconds ParameterServer::swap_staged() {
  Seconds waited{0};
  if (fetched_ > 0) {
    waited = client_.courier().wait(fetched_);
    std::ranges::copy(staged_.floats(), client_.arena().all_values().begin());
    client_.tell_engine();
    squares_ = client_.pulled_squares();
  }
  fetched_ = client_.pull_all(staged_.floats());
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
  return client_.courier().wait(last_push_);
}

}  // namespace lockstep
