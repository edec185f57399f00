// background_exchange.h: a thread that exchanges data with the parameter servers, so that the
// engine's thread does not wait.
//
// Visits are made one after the other, in the order in which they were posted. While there are
// none, the exchange tells the servers now and then that this worker still lives.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "sync/server_link.h"

namespace lockstep {

class BackgroundExchange {
 public:
  using Ticket = int64_t;  // how many were posted up to this one

  // Borrows the link. No more than `most` visits are ever posted and not yet made.
  BackgroundExchange(ServerLink& link, int slices, int most);
  ~BackgroundExchange();  // without finish(): tells the servers that this worker failed

  Ticket post(const Visit& visit);
  // These throw what the thread threw.
  bool made(Ticket ticket);
  Seconds wait(Ticket ticket);  // returns how long it did
  void finish();                // makes what is posted, then leaves the servers

  // Of a slice as it was pulled last, in a visit that has been made.
  double sum_of_squares(int slice) const { return squares_[slice]; }
  // When a slice was pushed and pulled. `ready` is the caller's.
  TransferTimes& push_times(int slice) { return times_[slice]; }
  TransferTimes& pull_times(int slice) { return times_[squares_.size() + slice]; }
  std::span<const TransferTimes> times() const { return times_; }  // pushes, then pulls

 private:
  enum class Ending { None, Done, GivenUp };

  void work();
  bool next(Visit& visit);  // waits for it; false: the end has come
  void make(const Visit& visit);
  void fail(const std::string& reason);
  void end(Ending ending);

  ServerLink& link_;
  std::vector<double> squares_;
  std::vector<TransferTimes> times_;

  std::mutex mutex_;  // of all below
  std::condition_variable posted_, made_;
  std::vector<Visit> ring_;
  Ticket posted_count_ = 0, made_count_ = 0;
  Ending ending_ = Ending::None;
  std::exception_ptr failure_;
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace lockstep
