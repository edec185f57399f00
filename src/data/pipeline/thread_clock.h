// thread_clock.h: CPU time of the calling thread, without waiting.
#pragma once

#include <ctime>

#include "base/time.h"

namespace lockstep {

inline Seconds thread_processor_time() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return Seconds(static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec));
}

}  // namespace lockstep
