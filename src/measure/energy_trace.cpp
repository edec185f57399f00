#include "measure/energy_trace.h"

#include <algorithm>
#include <cmath>

namespace lockstep {
namespace {

constexpr size_t kMostSamples = 200'000;  // half an hour; then every other one is kept

// Joules until a moment. Moments may only grow.
class Until {
 public:
  explicit Until(std::span<const EnergySample> samples) : samples_(samples) {}

  double operator()(TimePoint at) {
    while (next_ + 1 < samples_.size() && samples_[next_].at < at) ++next_;
    const EnergySample &before = samples_[next_ - 1], &after = samples_[next_];
    const double part = Seconds(at - before.at) / Seconds(after.at - before.at);
    return before.joules + std::clamp(part, 0.0, 1.0) * (after.joules - before.joules);
  }

 private:
  std::span<const EnergySample> samples_;
  size_t next_ = 1;
};

}  // namespace

EnergyTrace::EnergyTrace(const std::filesystem::path& root) : meter_(root) {}

void EnergyTrace::start() {
  meter_.begin();
  take_sample();
  if (!meter_.joules()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { sample_until(stop); });
}

void EnergyTrace::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  take_sample();
}

std::optional<double> EnergyTrace::joules() const { return meter_.joules(); }

void EnergyTrace::take_sample() {
  meter_.sample();
  samples_.push_back({.at = Clock::now(), .joules = meter_.joules().value_or(0)});
  if (samples_.size() < kMostSamples) return;
  for (size_t i = 0; 2 * i < samples_.size(); ++i) samples_[i] = samples_[2 * i];
  samples_.resize((samples_.size() + 1) / 2);
  interval_ *= 2;
}

void EnergyTrace::sample_until(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  for (;;) {
    stopped_.wait_for(lock, stop, interval_, [] { return false; });
    if (stop.stop_requested()) return;
    take_sample();
  }
}

std::optional<double> joules_of_steps(std::span<const EnergySample> samples,
                                      std::span<const StepRecord> steps, TimePoint start) {
  if (samples.size() < 2 || steps.empty()) return {};
  const auto moment = [&](Seconds after) {
    return start + std::chrono::duration_cast<Clock::duration>(after);
  };
  Until until(samples);
  const double before = until(moment(steps.front().begin));
  return until(moment(steps.back().begin + steps.back().duration)) - before;
}

PhaseJoules joules_by_phase(std::span<const EnergySample> samples,
                            std::span<const StepRecord> steps, TimePoint start) {
  PhaseJoules sums;
  if (samples.size() < 2 || steps.empty()) return sums;
  const double span = Seconds(samples.back().at - samples.front().at).count();
  const double apart = span / static_cast<double>(samples.size() - 1);
  for (size_t phase = 0; phase < sums.size(); ++phase) {
    double seconds = 0;
    for (const StepRecord& step : steps) seconds += step.phases[phase].count();
    if (seconds / static_cast<double>(steps.size()) >= apart) sums[phase] = 0;
  }
  Until until(samples);
  for (const StepRecord& step : steps) {
    TimePoint at = start + std::chrono::duration_cast<Clock::duration>(step.begin);
    double before = until(at);
    for (size_t phase = 0; phase < sums.size(); ++phase) {
      at += std::chrono::duration_cast<Clock::duration>(step.phases[phase]);
      const double now = until(at);
      if (sums[phase]) *sums[phase] += now - before;
      before = now;
    }
  }
  return sums;
}

}  // namespace lockstep
