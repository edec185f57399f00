#include "measure/precision_rule.h"

#include "measure/confidence.h"
#include "measure/statistics.h"
#include "measure/steady_state.h"

namespace lockstep {

bool PrecisionRule::reached(std::span<const StepRecord> timed) const {
  const std::vector<double> times = durations(timed);
  const SteadyState state = find_steady_state(times);
  if (!state.reached()) return false;
  const Samples steady = Samples(times).subspan(static_cast<size_t>(state.dropped_steps));
  // Of one image per step, which makes no difference to a part.
  const Interval interval = throughput_interval(steady, 1);
  return (interval.high - interval.low) / 2 * mean(steady) <= wanted_;
}

}  // namespace lockstep
