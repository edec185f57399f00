// chrome_trace.h: traces in the format of chrome://tracing and Perfetto.
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

// The trace of one rank, with one track for layers and one for communication.
struct RankTrace {
  std::string name;  // "rank 3 (node2)"
  std::vector<TraceEvent> layers = {}, transfers = {};
};

Json trace_to_json(const RankTrace& trace);
RankTrace trace_from_json(const Json& json);

// All ranks on one clock that starts with the first event. `process`: name of the run.
std::string chrome_trace(const std::string& process, std::span<const RankTrace> ranks);

}  // namespace lockstep
