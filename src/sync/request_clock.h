// request_clock.h: when the requests of one worker arrived at a parameter server.
//
// A server reads one request after the other, so one that arrives while it is busy waits unread in
// the connection. Its age tells for how long: the time from the worker's clock to the server's,
// less that of the fastest request. So the clocks of two hosts need not agree. Where they drift
// apart, only the last requests are compared.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace lockstep {

inline Seconds clock_seconds() { return Clock::now().time_since_epoch(); }

class RequestClock {
 public:
  static constexpr int64_t kRequests = 1000;  // compared: as many as that, and up to twice

  // `sent` is by the worker's clock, all else by the server's: since when it looked for a request,
  // and when it had this one. What arrives while it looks is read at once.
  void take(Seconds sent, Seconds looked, Seconds heard);
  // A gradient of the worker has come. Requests behind it arrive later.
  void take_gradient(Seconds at) { gradient_ = at; }

  Seconds arrival() const { return arrival_; }    // of the last request
  Seconds gradient() const { return gradient_; }  // the last one

 private:
  int64_t requests_ = 0;
  Seconds fastest_ = Seconds::max(), fastest_before_ = Seconds::max();  // the last ones; before
  Seconds arrival_{}, gradient_{};
};

}  // namespace lockstep
