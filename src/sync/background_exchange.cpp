#include "sync/background_exchange.h"

#include <cassert>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr std::chrono::seconds kSignOfLife{1};

}  // namespace

BackgroundExchange::BackgroundExchange(ServerLink& link, int slices, int most)
    : link_(link), squares_(slices), times_(2 * slices), ring_(most) {
  thread_ = std::jthread([this] { work(); });
}

BackgroundExchange::~BackgroundExchange() {
  if (thread_.joinable()) end(Ending::GivenUp);
}

BackgroundExchange::Ticket BackgroundExchange::post(const Visit& visit) {
  const std::lock_guard lock(mutex_);
  assert(posted_count_ - made_count_ < std::ssize(ring_));
  ring_[posted_count_++ % std::ssize(ring_)] = visit;
  posted_.notify_one();
  return posted_count_;
}

bool BackgroundExchange::made(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  return made_count_ >= ticket;
}

Seconds BackgroundExchange::wait(Ticket ticket) {
  const TimePoint begin = Clock::now();
  std::unique_lock lock(mutex_);
  made_.wait(lock, [&] { return failure_ || made_count_ >= ticket; });
  if (failure_) std::rethrow_exception(failure_);
  return seconds_since(begin);
}

void BackgroundExchange::finish() {
  end(Ending::Done);
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

void BackgroundExchange::end(Ending ending) {
  const std::lock_guard lock(mutex_);
  ending_ = ending;
  posted_.notify_one();
}

void BackgroundExchange::work() {
  try {
    for (Visit visit; next(visit);) make(visit);
    if (ending_ == Ending::GivenUp) return link_.give_up({});
    link_.leave();
  } catch (const std::exception& error) {  // the top of a thread: the engine's throws it again
    fail(error.what());
  }
}

// What is posted before the end is still made, unless this worker gives up.
bool BackgroundExchange::next(Visit& visit) {
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool woken = posted_.wait_for(
        lock, kSignOfLife, [&] { return ending_ != Ending::None || made_count_ < posted_count_; });
    if (woken) break;
    lock.unlock();
    link_.still_here();
    lock.lock();
  }
  if (ending_ == Ending::GivenUp || made_count_ == posted_count_) return false;
  visit = ring_[made_count_ % std::ssize(ring_)];
  return true;
}

void BackgroundExchange::make(const Visit& visit) {
  const TimePoint begin = Clock::now();
  const Pulled pulled = link_.visit(visit);
  const TimePoint end = Clock::now();
  if (visit.push != kNoSlice)
    push_times(visit.push).begin = begin, push_times(visit.push).end = end;
  if (visit.pull != kNoSlice) {
    pull_times(visit.pull).begin = pulled.asked;
    pull_times(visit.pull).end = end;
    pull_times(visit.pull).hold = pulled.hold;
    squares_[visit.pull] = pulled.sum_of_squares;
  }
  const std::lock_guard lock(mutex_);
  ++made_count_;
  made_.notify_one();
}

void BackgroundExchange::fail(const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    made_.notify_one();
  }
  try {
    link_.give_up(reason);
  } catch (const std::exception&) {  // the first failure counts; nobody receives this one
  }
}

}  // namespace lockstep
