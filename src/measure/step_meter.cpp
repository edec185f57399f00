#include "measure/step_meter.h"

#include <cassert>

namespace lockstep {

StepMeter::StepMeter(int64_t most_steps, TimePoint start) : start_(start) {
  records_.reserve(static_cast<size_t>(most_steps));
}

void StepMeter::begin_step() {
  step_ = {};
  current_ = kNone;
  step_begin_ = mark_ = Clock::now();
}

int StepMeter::enter(int phase) {
  const TimePoint now = Clock::now();
  if (current_ != kNone) step_.phases[static_cast<size_t>(current_)] += now - mark_;
  mark_ = now;
  return std::exchange(current_, phase);
}

void StepMeter::recharge(Phase from, Phase to, Seconds time) {
  step_.phase(from) -= time;
  step_.phase(to) += time;
}

void StepMeter::end_step(int images, const StepLosses& losses) {
  assert(records_.size() < records_.capacity());  // else this would allocate
  step_.begin = step_begin_ - start_;
  step_.duration = Clock::now() - step_begin_;
  step_.images = images;
  step_.losses = losses;
  records_.push_back(step_);
}

std::vector<double> durations(std::span<const StepRecord> records) {
  std::vector<double> seconds;
  seconds.reserve(records.size());
  for (const StepRecord& record : records) seconds.push_back(record.duration.count());
  return seconds;
}

}  // namespace lockstep
