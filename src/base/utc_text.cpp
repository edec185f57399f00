#include "base/utc_text.h"

#include <fmt/chrono.h>

namespace lockstep {

std::string utc_text(WallTime time) {
  const auto microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(time)),
                     microseconds % 1000000);
}

}  // namespace lockstep
