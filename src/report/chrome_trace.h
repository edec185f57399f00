// chrome_trace.h: operations on a time line, in the format of chrome://tracing and Perfetto.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/time.h"

namespace lockstep {

struct TraceEvent {
  std::string name;      // "conv0 forward"
  std::string category;  // "forward", "backward"
  std::string kernel;
  Seconds begin{};  // since the start of the trace
  Seconds duration{};
};

std::string chrome_trace(const std::string& process, std::span<const TraceEvent> events);

}  // namespace lockstep
