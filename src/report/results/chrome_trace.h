// chrome_trace.h: operations on a time line, in the format of chrome://tracing and Perfetto.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "config/json_fwd.h"

namespace lockstep {

struct TraceEvent {
  std::string name;      // "conv0 forward"
  std::string category;  // "forward", "backward", "communication"
  std::string detail;    // the kernel, the bytes
  Seconds begin{};       // on a clock of its rank
  Seconds duration{};
};

// What one rank did, on tracks of its own: layers, and what it communicated.
struct RankTrace {
  std::string name;  // "rank 3 (node2)"
  std::vector<TraceEvent> layers = {}, transfers = {};
};

Json trace_to_json(const RankTrace& trace);
RankTrace trace_from_json(const Json& json);

// All ranks on one clock, which begins with the first event. `process`: what was run.
std::string chrome_trace(const std::string& process, std::span<const RankTrace> ranks);

}  // namespace lockstep
