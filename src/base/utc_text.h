// utc_text.h: the time of day, as text.
#pragma once

#include <chrono>
#include <string>

namespace lockstep {

using WallTime = std::chrono::system_clock::time_point;

std::string utc_text(WallTime time);  // "2018-01-31T12:34:56.123456Z"

}  // namespace lockstep
