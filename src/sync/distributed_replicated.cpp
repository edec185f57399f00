#include "sync/distributed_replicated.h"

namespace lockstep {

void DistributedReplicated::start() {
  client_.start();
  pulled_with_.resize(client_.slices().size());
  squares_ = client_.pulled_squares();
}

Seconds DistributedReplicated::begin_step(double learning_rate) {
  client_.begin_step(learning_rate);
  ready_ = posted_ = taken_ = 0;
  return Seconds{0};  // finish_step has waited for everything
}

void DistributedReplicated::gradient_ready(ParameterId id) {
  const auto slices = client_.slices();
  for (; ready_ < std::ssize(slices) && slices[ready_].last == id; ++ready_) {
    client_.gradient_ready(ready_);
  }
  if (!options_.overlap) return;
  post_up_to(ready_);
  take_pulled();
}

Seconds DistributedReplicated::finish_step() {
  const int slices = static_cast<int>(client_.slices().size());
  post_up_to(slices);
  pulled_with_[slices - 1] = client_.post(kNoSlice, slices - 1);
  Seconds waited{0};
  while (taken_ < slices) {
    waited += client_.exchange().wait(pulled_with_[taken_]);
    client_.tell_engine(taken_++);
  }
  squares_ = client_.pulled_squares();
  return waited;
}

void DistributedReplicated::post_up_to(int slice) {
  for (; posted_ < slice; ++posted_) {
    const int before = posted_ - 1;
    const BackgroundExchange::Ticket ticket =
        client_.post(posted_, before >= 0 ? before : kNoSlice);
    if (before >= 0) pulled_with_[before] = ticket;
  }
}

void DistributedReplicated::take_pulled() {
  while (taken_ + 1 < posted_ && client_.exchange().made(pulled_with_[taken_])) {
    client_.tell_engine(taken_++);
  }
}

}  // namespace lockstep
