// steady_state.h: finds the step from which a run is steady, if any.
//
// First the start is cut off where that makes the mean of the rest best known: MSER-5 (White 1997)
// takes means of five steps and the cut with the least squared error of the mean. Then the rest
// must not drift: the slope of Theil and Sen, the median slope over all pairs of steps, has a 95 %
// interval (Sen 1968) that must include 0, unless the whole drift is below one percent of a step.
// "No steady state" is a result like any other, and is reported.
#pragma once

#include <string_view>

#include "measure/confidence.h"

namespace lockstep {

enum class Steadiness { Steady, SlowingDown, SpeedingUp, NeverSettled, TooFewSteps };

struct SteadyState {
  Steadiness steadiness = Steadiness::TooFewSteps;
  int dropped_steps = 0;  // at the start, left out of the summary
  double drift = 0;       // of the step time over the rest, as a fraction of its median

  bool reached() const { return steadiness == Steadiness::Steady; }
};

std::string_view words_for(Steadiness steadiness);  // "steady", "no steady state: slowing down"

SteadyState find_steady_state(Samples step_seconds);

struct Slope {
  double middle = 0;  // change per sample
  Interval interval;  // 95 %
};
Slope theil_sen(Samples samples);  // at least two samples

}  // namespace lockstep
