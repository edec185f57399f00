// time.h: durations are Seconds, and every measurement uses one monotonic clock.
#pragma once

#include <chrono>

namespace lockstep {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;

inline Seconds seconds_since(TimePoint start) { return Clock::now() - start; }

}  // namespace lockstep
