// step_timeline.h: one step of all ranks as a picture needs it: phases, transfers, critical path.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/analysis/step_walk.h"

namespace lockstep {

// Times are seconds since the begin of the step; a rank may begin it earlier.
struct TimelineBlock {
  Phase phase = Phase::Input;
  double begin = 0, end = 0;
};
struct TimelineTransfer {
  size_t transfer = 0;  // index in the result
  double ready = 0, begin = 0, end = 0;
};
struct TimelineRank {
  int rank = 0;
  std::string host = {};
  std::vector<TimelineBlock> blocks = {};
  std::vector<TimelineTransfer> transfers = {};
};

struct StepTimeline {
  size_t step = 0;  // from 0
  double seconds = 0;
  std::vector<TimelineRank> ranks = {};
  std::vector<Transfer> transfers = {};
  std::vector<PathSegment> path = {};  // relative to the begin of the step, too

  size_t records() const;  // how much a page has to carry
};

// Of the step whose duration is nearest to the median. Absent: one rank, or has_path() is false. A
// predicted step has one rank, which stands for all of them.
std::optional<StepTimeline> timeline_of(const RunResult& result);

}  // namespace lockstep
