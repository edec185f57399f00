#include "sync/request_clock.h"

#include <algorithm>
#include <utility>

namespace lockstep {

void RequestClock::take(Seconds sent, Seconds looked, Seconds heard) {
  if (++requests_ % kRequests == 0) fastest_before_ = std::exchange(fastest_, Seconds::max());
  const Seconds age = heard - sent;
  fastest_ = std::min(fastest_, age);
  const Seconds unread = age - std::min(fastest_, fastest_before_);
  const Seconds arrived = std::max(heard - unread, gradient_);
  arrival_ = arrived < looked ? arrived : heard;
}

}  // namespace lockstep
