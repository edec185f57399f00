#include "sync/all_reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep {
namespace {

constexpr int64_t kFailed = -1;
constexpr int64_t kStop = -1;
constexpr const char* kDelayed = "delayed_gradient";

Replicated with_optimizer_for(Replicated replicated, const SyncOptions& options, int replicas) {
  replicated.optimizer = optimizer_for(replicated.optimizer, options, replicas);
  return replicated;
}

}  // namespace

AllReduce::AllReduce(Replicated replicated, Communicator& communicator, const SyncOptions& options)
    : updater_(with_optimizer_for(std::move(replicated), options, communicator.size())),
      communicator_(communicator),
      options_(options),
      buckets_(make_buckets(updater_.arena(), options)) {
  for (int64_t number = 0; number < count(); ++number) {
    transfers_.push_back({.name = fmt::format("bucket {}", number),
                          .bytes = buckets_[number].floats * static_cast<int64_t>(sizeof(float)),
                          .layers = layers_of(buckets_[number].parameters, updater_.names())});
  }
  for (auto& times : times_) times.resize(buckets_.size());
  // The step before the first brings zeros, and they are there already.
  if (options_.relaxed) to_send_ = count();
  ready_ = done_ = to_send_;
}

AllReduce::~AllReduce() {
  ready_.store(kStop);
  ready_.notify_one();
}

void AllReduce::start() {
  if (options_.relaxed) {
    const int64_t bytes = updater_.arena().all_gradients().size_bytes();
    for (Memory& memory : apart_) memory = communicator_.allocate(bytes);
    std::ranges::copy(delayed_, gradients_of(to_apply_).begin());
  }
  communicator_.broadcast(updater_.arena().all_values(), 0);
  updater_.values_given();
  thread_ = std::jthread([this, first = to_send_] { communicate(first); });
}

Seconds AllReduce::begin_step(double learning_rate) {
  updater_.begin_step(learning_rate, gradient_scale(options_, communicator_.size()));
  ready_in_step_ = applied_in_step_ = 0;
  return Seconds{0};
}

void AllReduce::gradient_ready(ParameterId id) {
  const TimePoint now = Clock::now();
  for (; ready_in_step_ < count() && buckets_[ready_in_step_].last == id; ++ready_in_step_) {
    time_of(to_send_ + ready_in_step_).ready = now;
  }
  if (!options_.overlap || options_.repacking > 0) return;
  hand_over(ready_in_step_);
  update_arrived();
}

Seconds AllReduce::finish_step() {
  hand_over(count());
  Seconds waited{};
  while (applied_in_step_ < count()) {
    const TimePoint begin = Clock::now();
    wait_for(to_apply_ + applied_in_step_);
    waited += Clock::now() - begin;
    update(to_apply_ + applied_in_step_);
  }
  updater_.finish_step();
  to_send_ += count();
  to_apply_ += count();
  return waited;
}

void AllReduce::carry_on(const Carried& carried) {
  updater_.carry_on(carried);
  const CarriedRow* row = carried.find(kDelayed);
  if (row && options_.relaxed) delayed_ = row->floats;
}

void AllReduce::newest_values(std::span<float> values) {
  std::ranges::copy(updater_.arena().all_values(), values.begin());
}

Carried AllReduce::carried() {
  Carried carried = updater_.carried();
  if (!options_.relaxed) return carried;
  wait_for(to_send_ - 1);
  const auto delayed = gradients_of(to_apply_);
  carried.rows.push_back({kDelayed, {delayed.begin(), delayed.end()}});
  return carried;
}

void AllReduce::finish() {
  if (to_send_ > to_apply_) wait_for(to_send_ - 1);  // relaxed: nobody applies them any more
}

void AllReduce::hand_over(int64_t end) {
  const int64_t begin = ready_.load(std::memory_order_relaxed);
  if (begin == to_send_ + end) return;
  for (int64_t number = begin; options_.relaxed && number < to_send_ + end; ++number) {
    const Bucket& bucket = bucket_of(number);
    const auto fresh = updater_.arena().all_gradients().subspan(bucket.first_float, bucket.floats);
    std::ranges::copy(fresh, gradients_of(number).begin() + bucket.first_float);
  }
  ready_.store(to_send_ + end, std::memory_order_release);
  ready_.notify_one();
}

// Relaxed, sums have come back before backward is done with the values that they change: those
// wait.
void AllReduce::update_arrived() {
  const int64_t done = done_.load(std::memory_order_acquire);
  while (applied_in_step_ < ready_in_step_ && to_apply_ + applied_in_step_ < done) {
    update(to_apply_ + applied_in_step_);
  }
}

void AllReduce::wait_for(int64_t number) {
  int64_t done = done_.load(std::memory_order_acquire);
  while (done != kFailed && done <= number) {
    done_.wait(done, std::memory_order_acquire);
    done = done_.load(std::memory_order_acquire);
  }
  if (done == kFailed) std::rethrow_exception(failure_);
}

void AllReduce::update(int64_t number) {
  const ParameterArena& arena = updater_.arena();
  for (const ParameterId id : bucket_of(number).parameters) {
    updater_.apply(id, gradients_of(number).subspan(arena.offset(id), arena.gradient(id).size()));
  }
  ++applied_in_step_;
}

std::span<float> AllReduce::gradients_of(int64_t number) const {
  if (!options_.relaxed) return updater_.arena().all_gradients();
  return apart_[number / count() % 2].floats();
}

std::span<const TransferTimes> AllReduce::times_of(int64_t number) const {
  return times_[options_.relaxed ? number / count() % 2 : 0];
}

TransferTimes& AllReduce::time_of(int64_t number) {
  return times_[options_.relaxed ? number / count() % 2 : 0][number % count()];
}

void AllReduce::communicate(int64_t first) {
  try {
    for (int64_t next = first;; ++next) {
      int64_t ready = ready_.load(std::memory_order_acquire);
      while (ready != kStop && ready <= next) {
        ready_.wait(ready, std::memory_order_acquire);
        ready = ready_.load(std::memory_order_acquire);
      }
      if (ready == kStop) return;
      const Bucket& bucket = bucket_of(next);
      TransferTimes& times = time_of(next);
      times.begin = Clock::now();
      communicator_.all_reduce(gradients_of(next).subspan(bucket.first_float, bucket.floats));
      times.end = Clock::now();
      done_.store(next + 1, std::memory_order_release);
      done_.notify_one();
    }
  } catch (...) {  // the top of a thread: finish_step throws it again
    failure_ = std::current_exception();
    done_.store(kFailed, std::memory_order_release);
    done_.notify_one();
  }
}

}  // namespace lockstep
