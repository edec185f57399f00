#include "measure/step_meter.h"

#include <cassert>

namespace lockstep {

StepMeter::StepMeter(int64_t most_steps, TimePoint start) : start_(start) {
  records_.reserve(static_cast<size_t>(most_steps));
}

void StepMeter::begin_step() {
  close();
  step_ = {};
  open_ = &step_;
  step_begin_ = mark_;
  excluded_ = Seconds{0};
}

Phase StepMeter::enter(Phase phase) {
  const TimePoint now = Clock::now();
  if (open_) open_->phase(current_) += now - mark_;
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
  step_.images = images;
  step_.losses = losses;
  enter(Phase::Between);
  step_.duration = mark_ - step_begin_;
  records_.push_back(step_);
  open_ = &records_.back();
}

StepRecord& StepMeter::first_awaited() {
  return records_[records_.size() - static_cast<size_t>(awaited_)];
}

void StepMeter::settle() {
  enter(current_);
  if (open_) open_->duration = mark_ - step_begin_ - excluded_;
}

void StepMeter::exclude(Seconds time) {
  if (!open_) return;
  open_->phase(Phase::Between) -= time;
  excluded_ += time;
  settle();
}

void StepMeter::close() {
  settle();
  open_ = nullptr;
}

std::vector<double> durations(std::span<const StepRecord> records) {
  std::vector<double> seconds;
  seconds.reserve(records.size());
  for (const StepRecord& record : records) seconds.push_back(record.duration.count());
  return seconds;
}

}  // namespace lockstep
