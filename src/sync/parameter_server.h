// parameter_server.h: servers keep the values; a worker fetches them before each step and pushes
// gradients while backward computes the rest.
//
// Staged, a step reads the values that were fetched during the step before, which are those before
// that step's update: fetching hides behind computing and everything is one step old.
#pragma once

#include <utility>

#include "sync/server_client.h"

namespace lockstep {

class ParameterServer : public Strategy {
 public:
  ParameterServer(Replicated replicated, const Peers& peers, const SyncOptions& options)
      : options_(options), client_(std::move(replicated), peers, options) {}

  void start() override;
  Seconds begin_step(double learning_rate) override;
  void gradient_ready(ParameterId id) override;
  Seconds finish_step() override;
  void drain() override { client_.drain(); }
  void finish() override { client_.finish(); }
  double sum_of_squares() const override { return squares_; }
  void carry_on(const Carried& carried) override;
  void newest_values(std::span<float> values) override;
  Carried carried() override;

  std::span<const Transfer> transfers() const override { return client_.transfers(); }
  std::span<const TransferTimes> transfer_times() const override {
    return client_.transfer_times();
  }

 private:
  void make_room();  // for staged values
  Seconds fetch();
  Seconds swap_staged();
  Seconds finish_staged();     // what is on its way has come
  void push_up_to(int slice);  // those before it

  SyncOptions options_;
  double squares_ = 0;
  int ready_ = 0, pushed_ = 0;  // slices of this step
  BackgroundExchange::Ticket last_push_ = 0;
  BackgroundExchange::Ticket fetched_ = 0;  // when staged_ is filled; 0: nothing is on its way
  Memory staged_;            // laid out like the arena's values; the exchange writes here
  bool has_staged_ = false;  // or will have: what the next step reads
  double staged_squares_ = 0;
  ServerClient client_;  // last: its thread uses the rest
};

}  // namespace lockstep
