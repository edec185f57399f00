// distributed_replicated.h: servers keep the values and every worker keeps a copy, which is
// refreshed variable by variable while backward computes the rest.
//
// A slice is pulled in the visit that pushes the next one: so all workers have most likely pushed
// it, and where one server keeps both, gradients go one way while values come the other.
#pragma once

#include <algorithm>
#include <utility>

#include "sync/server_client.h"

namespace lockstep {

class DistributedReplicated : public Strategy {
 public:
  DistributedReplicated(Replicated replicated, const Peers& peers, const SyncOptions& options)
      : options_(options), client_(std::move(replicated), peers, options) {}

  void start() override;
  Seconds begin_step(double learning_rate) override;
  void gradient_ready(ParameterId id) override;
  Seconds finish_step() override;
  void drain() override { client_.drain(); }
  void finish() override { client_.finish(); }
  double sum_of_squares() const override { return squares_; }
  void carry_on(const Carried& carried) override { client_.carry_on(carried); }
  void newest_values(std::span<float> values) override {
    std::ranges::copy(client_.arena().all_values(), values.begin());
  }
  Carried carried() override { return client_.carried(); }

  std::span<const Transfer> transfers() const override { return client_.transfers(); }
  std::span<const TransferTimes> transfer_times() const override {
    return client_.transfer_times();
  }

 private:
  void post_up_to(int slice);  // those before it
  void take_pulled();          // tells the engine of what has come

  SyncOptions options_;
  double squares_ = 0;
  int ready_ = 0, posted_ = 0, taken_ = 0;               // slices of this step
  std::vector<BackgroundExchange::Ticket> pulled_with_;  // by slice
  ServerClient client_;                                  // last: its thread uses the rest
};

}  // namespace lockstep
