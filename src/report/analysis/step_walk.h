// step_walk.h: the critical path of one step: who or what the step waited for, at every moment.
//
// With all-reduce, a step ends when its last bucket has come back and the last rank has updated.
// Walked back from there: the bucket was under way (wire), before that it waited for the buckets
// before it (queue), back to one that began as soon as the last rank had it ready. What that rank
// had computed longer by then than the typical rank (step_records.h) is its lateness.
//
// Without times of transfers (other frameworks) the path follows the rank with the most work of its
// own, and all that it waited is wire. With parameter servers that waiting is split. The server is
// what pulls spent in its queue, as it measured. Where no server measures, what a transfer takes at
// the best rate and latency of this launch is wire, the rest is the server.
#pragma once

#include <vector>

#include "report/analysis/step_records.h"

namespace lockstep {

struct PathSegment {
  int rank = 0;
  PathPart part = PathPart::Compute;
  Seconds begin{}, end{};
  int transfer = -1;  // index in the result; -1: none
};

// By how much a rank was later than the typical rank, and than that of this step.
struct LateTime {
  int rank = 0;
  double seconds = 0;
};

struct StepWalk {
  std::vector<PathSegment> segments;  // by time, without gaps: from the step's begin to its end
  // Seconds that compute took less than usual even on the last rank. In the mean over steps they
  // offset lateness: chance makes ranks late in some steps and early in others.
  double ahead = 0;
  std::vector<LateTime> late = {};  // also ranks that were late beside the last one
  int head_transfer = -1;           // the first that all others waited for; -1: unknown
  int last_transfer = -1;           // that the step waited for; -1: unknown
  double seconds(PathPart part) const;
};

StepWalk walk_step(const StepRecords& records, size_t step);  // of a result that has_path()

}  // namespace lockstep
