// device_replicated.h: every replica keeps all values in the memory of its accelerator; gradients
// are summed over replicas there, bucket by bucket, while backward computes the rest.
//
// The host only queues: for each bucket that is ready, communication and the optimizer on the
// update stream. It waits for nothing but the device's report of the step before.
#pragma once

#include <vector>

#include "comm/device_communicator.h"
#include "nn/device_parameters.h"
#include "sync/buckets.h"
#include "sync/strategy.h"
#include "sync/sync_options.h"

namespace lockstep {

class DeviceReplicated : public Strategy {
 public:
  // Borrows parameters and communicator. `communicator`: null for replicas that never hear of each
  // other.
  DeviceReplicated(const Replicated& replicated, DeviceCommunicator* communicator,
                   const SyncOptions& options);
  ~DeviceReplicated() override;

  void start() override;
  Seconds begin_step(double learning_rate) override;
  void gradient_ready(ParameterId id) override;
  Seconds finish_step() override;
  void finish() override;
  double sum_of_squares() const override { return 0; }  // the engine reports it
  void carry_on(const Carried& carried) override;
  void newest_values(std::span<float> values) override;
  Carried carried() override;

 private:
  int replicas() const { return communicator_ ? communicator_->size() : 1; }
  void queue_up_to(size_t bucket);  // those before it

  DeviceParameters& parameters_;
  DeviceCommunicator* communicator_;
  SyncOptions options_;
  std::vector<std::string_view> memory_;  // names of the optimizer's rows
  std::vector<Bucket> buckets_;
  size_t ready_ = 0, queued_ = 0;  // of this step
};

}  // namespace lockstep
