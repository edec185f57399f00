// watchdog.h: acts when a call that cannot be given a time-out takes too long.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "base/time.h"

namespace lockstep {

class Watchdog {
 public:
  // `act` is called by the watchdog's own thread, again and again until it says true: enough.
  Watchdog(Seconds patience, std::function<bool()> act);

  // While it lives, the call is on.
  class Call {
   public:
    explicit Call(Watchdog& dog) : dog_(dog) { dog_.since_ = Clock::now().time_since_epoch(); }
    ~Call() { dog_.since_ = Clock::duration::zero(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    Watchdog& dog_;
  };

 private:
  void run(const std::stop_token& stop);

  Seconds patience_;
  std::function<bool()> act_;
  std::atomic<Clock::duration> since_ = Clock::duration::zero();  // zero: no call is on
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // last: stops before the rest goes
};

}  // namespace lockstep
