#include "sync/all_reduce.h"

#include <fmt/format.h>

#include <utility>

namespace lockstep {
namespace {

constexpr int64_t kFailed = -1;
constexpr int64_t kStop = -1;

}  // namespace

AllReduce::AllReduce(Replicated replicated, Communicator& communicator, const SyncOptions& options)
    : updater_(std::move(replicated)),
      communicator_(communicator),
      options_(options),
      buckets_(make_buckets(updater_.arena(), options.bucket_bytes)),
      last_of_bucket_(updater_.arena().count(), -1),
      times_(buckets_.size()) {
  for (int bucket = 0; const Bucket& each : buckets_) {
    last_of_bucket_[each.parameters.back()] = bucket;
    transfers_.push_back({.name = fmt::format("bucket {}", bucket),
                          .bytes = each.floats * static_cast<int64_t>(sizeof(float))});
    ++bucket;
  }
}

AllReduce::~AllReduce() {
  ready_.store(kStop);
  ready_.notify_one();
}

void AllReduce::start() {
  communicator_.broadcast(updater_.arena().all_values(), 0);
  updater_.values_given();
  thread_ = std::jthread([this] { communicate(); });
}

Seconds AllReduce::begin_step(double learning_rate) {
  updater_.begin_step(learning_rate, options_.mean ? 1.0 / communicator_.size() : 1.0);
  before_step_ = ready_.load(std::memory_order_relaxed);
  updated_ = 0;
  return Seconds{0};
}

void AllReduce::gradient_ready(ParameterId id) {
  const int bucket = last_of_bucket_[id];
  if (bucket < 0) return;
  times_[bucket].ready = Clock::now();
  if (!options_.overlap) return;
  hand_over(bucket + 1);
  update_arrived();
}

Seconds AllReduce::finish_step() {
  if (!options_.overlap) hand_over(static_cast<int>(buckets_.size()));
  Seconds waited{};
  for (int bucket = updated_; bucket < static_cast<int>(buckets_.size()); ++bucket) {
    const TimePoint begin = Clock::now();
    if (!wait_for(bucket)) std::rethrow_exception(failure_);
    waited += Clock::now() - begin;
    update(bucket);
  }
  updater_.finish_step();
  return waited;
}

void AllReduce::hand_over(int count) {
  ready_.store(before_step_ + count, std::memory_order_release);
  ready_.notify_one();
}

void AllReduce::update_arrived() {
  const int64_t done = done_.load(std::memory_order_acquire);
  while (done != kFailed && before_step_ + updated_ < done) update(updated_);
}

bool AllReduce::wait_for(int bucket) {
  int64_t done = done_.load(std::memory_order_acquire);
  while (done != kFailed && done <= before_step_ + bucket) {
    done_.wait(done, std::memory_order_acquire);
    done = done_.load(std::memory_order_acquire);
  }
  return done != kFailed;
}

void AllReduce::update(int bucket) {
  for (const ParameterId id : buckets_[bucket].parameters) updater_.apply(id);
  updated_ = bucket + 1;
}

void AllReduce::communicate() {
  const std::span<float> gradients = updater_.arena().all_gradients();
  const int64_t count = static_cast<int64_t>(buckets_.size());
  try {
    for (int64_t next = 0;; ++next) {
      int64_t ready = ready_.load(std::memory_order_acquire);
      while (ready != kStop && ready <= next) {
        ready_.wait(ready, std::memory_order_acquire);
        ready = ready_.load(std::memory_order_acquire);
      }
      if (ready == kStop) return;
      const Bucket& bucket = buckets_[next % count];
      TransferTimes& times = times_[next % count];
      times.begin = Clock::now();
      communicator_.all_reduce(gradients.subspan(bucket.first_float, bucket.floats));
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
