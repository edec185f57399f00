// energy_trace.h: the energy of this host over time, so that each phase of the steps has its share.
//
// A thread reads the counters a hundred times a second while steps run. Where they are not readable
// there is no thread.
#pragma once

#include <array>
#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "measure/energy.h"
#include "measure/step_meter.h"

namespace lockstep {

struct EnergySample {
  TimePoint at;
  double joules = 0;  // since the first sample
};

// Of all steps together; absent: steps spend too little time in this phase to tell.
using PhaseJoules = std::array<std::optional<double>, kPhaseNames.size()>;

inline constexpr Seconds kEnergyInterval{0.010};

class EnergyTrace {
 public:
  explicit EnergyTrace(const std::filesystem::path& root = "/");  // tests give their own

  void start();
  void stop();
  std::optional<double> joules() const;  // between both; absent: not readable
  std::span<const EnergySample> samples() const { return samples_; }  // after stop()

 private:
  void take_sample();
  void sample_until(const std::stop_token& stop);

  EnergyMeter meter_;
  std::vector<EnergySample> samples_;
  Seconds interval_ = kEnergyInterval;
  std::mutex mutex_;
  std::condition_variable_any stopped_;
  std::jthread thread_;  // last: it uses all of the above
};

// From the begin of the first of the steps to the end of the last one; absent: not known.
std::optional<double> joules_of_steps(std::span<const EnergySample> samples,
                                      std::span<const StepRecord> steps, TimePoint start);

// Between two samples power is taken as constant. `start`: what the steps count from. Phases follow
// each other in their order, as they do without parameter servers.
PhaseJoules joules_by_phase(std::span<const EnergySample> samples,
                            std::span<const StepRecord> steps, TimePoint start);

}  // namespace lockstep
