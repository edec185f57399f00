// all_reduce.h: every replica keeps all values; gradients are summed over replicas, bucket by
// bucket, while backward computes the rest.
//
// One thread of the strategy's own calls the communicator, in bucket order on every rank, so no
// rank has to ask another what comes next. The engine's thread only counts buckets that are ready
// and runs the optimizer on those that came back.
#pragma once

#include <atomic>
#include <exception>
#include <span>
#include <thread>
#include <vector>

#include "comm/communicator.h"
#include "sync/buckets.h"
#include "sync/options.h"
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
  double sum_of_squares() const override { return updater_.sum_of_squares(); }

  std::span<const Transfer> transfers() const override { return transfers_; }
  std::span<const TransferTimes> transfer_times() const override { return times_; }

 private:
  void communicate();         // the thread
  void hand_over(int count);  // so many buckets are ready
  void update_arrived();      // optimizer on what came back, without waiting
  bool wait_for(int bucket);  // false: the thread failed
  void update(int bucket);

  Updater updater_;
  Communicator& communicator_;  // borrowed: outlives the strategy
  SyncOptions options_;
  std::vector<Bucket> buckets_;
  std::vector<int> last_of_bucket_;  // by parameter: the bucket that it completes, or -1
  std::vector<Transfer> transfers_;  // one per bucket, like the times
  std::vector<TransferTimes> times_;

  // Buckets since the first step: handed over, come back. They only grow, so no bucket is missed.
  std::atomic<int64_t> ready_ = 0, done_ = 0;
  int64_t before_step_ = 0;     // of both, when the step began
  int updated_ = 0;             // buckets of this step
  std::exception_ptr failure_;  // written before done_ says so
  std::jthread thread_;
};

}  // namespace lockstep
