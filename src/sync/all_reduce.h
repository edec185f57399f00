// all_reduce.h: every replica keeps all values; gradients are summed over replicas, bucket by
// bucket, while backward computes the rest.
//
// One thread of the strategy's own calls the communicator, in bucket order on every rank, so no
// rank has to ask another what comes next. The engine's thread only counts buckets that are ready
// and runs the optimizer on those that came back.
//
// Relaxed, a step applies the sums of the step before (the first one zeros), which had a whole step
// to come back. They travel in memory of their own, because backward writes over the arena's.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <span>
#include <thread>
#include <vector>

#include "comm/communicator.h"
#include "sync/buckets.h"
#include "sync/sync_options.h"
#include "sync/updater.h"

namespace lockstep {

class AllReduce : public Strategy {
 public:
  // Borrows the communicator; nobody else may use it between start() and the strategy's end.
  AllReduce(Replicated replicated, Communicator& communicator, const SyncOptions& options);
  ~AllReduce() override;

  void start() override;
  Seconds begin_step(double learning_rate) override;
  void gradient_ready(ParameterId id) override;
  Seconds finish_step() override;
  void finish() override;
  double sum_of_squares() const override { return updater_.sum_of_squares(); }
  void carry_on(const Carried& carried) override;
  void newest_values(std::span<float> values) override;
  Carried carried() override;

  std::span<const Transfer> transfers() const override { return transfers_; }
  // Of what the last step applied; relaxed: of the step before.
  std::span<const TransferTimes> transfer_times() const override {
    return times_of(std::max<int64_t>(0, to_apply_ - count()));
  }

 private:
  // A bucket's number counts all buckets of all steps. Those of one step lie in one memory.
  int64_t count() const { return static_cast<int64_t>(buckets_.size()); }
  const Bucket& bucket_of(int64_t number) const { return buckets_[number % count()]; }
  std::span<float> gradients_of(int64_t number) const;
  std::span<const TransferTimes> times_of(int64_t number) const;
  TransferTimes& time_of(int64_t number);

  void communicate(int64_t first);  // the thread; from this bucket on
  void hand_over(int64_t end);      // the first `end` buckets of this step are ready
  void update_arrived();            // optimizer on what came back, without waiting
  void wait_for(int64_t number);    // throws what the thread threw
  void update(int64_t number);

  Updater updater_;
  Communicator& communicator_;  // borrowed: outlives the strategy
  SyncOptions options_;
  std::vector<Bucket> buckets_;
  std::vector<Transfer> transfers_;                  // one per bucket
  std::array<std::vector<TransferTimes>, 2> times_;  // by memory; the second only relaxed
  std::array<Memory, 2> apart_;                      // relaxed: gradients of even and odd steps
  std::vector<float> delayed_;                       // of a checkpoint: what the first step applies

  // Of this step, by the engine's thread: numbers of its first bucket, and of the first to apply.
  int64_t to_send_ = 0, to_apply_ = 0;
  int64_t ready_in_step_ = 0, applied_in_step_ = 0;

  // Buckets handed over and come back since the beginning. They only grow, so none is missed.
  std::atomic<int64_t> ready_ = 0, done_ = 0;
  std::exception_ptr failure_;  // written before done_ says so
  std::jthread thread_;
};

}  // namespace lockstep
