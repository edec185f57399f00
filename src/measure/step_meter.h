// step_meter.h: records the time of each phase of each step, raw.
//
// A step is cut into phases by scopes. Scopes nest, and time belongs to the innermost: when the
// optimizer runs on one gradient in the middle of backward, that time is Update, not Backward. Time
// in no scope is Between, and so is what follows a step until the next one begins. So the phases
// of a step add up to its duration, and the steps of a loop add up to the time of the loop.
// All records are allocated by the constructor: a step allocates nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"

namespace lockstep {

enum class Phase { Input, Forward, Backward, Communication, Update, Between };
inline constexpr std::array<std::string_view, 6> kPhaseNames = {
    "input", "forward", "backward", "exposed_communication", "update", "between_steps"};

struct StepLosses {
  double base_loss = 0;   // cross-entropy, mean over the batch
  double total_loss = 0;  // with the L2 loss
  int top_1_hits = 0, top_5_hits = 0;
};

struct StepRecord {
  Seconds begin{};  // since the start of the meter
  Seconds duration{};
  std::array<Seconds, kPhaseNames.size()> phases{};
  int images = 0;
  StepLosses losses;

  Seconds& phase(Phase which) { return phases[static_cast<size_t>(which)]; }
  Seconds phase(Phase which) const { return phases[static_cast<size_t>(which)]; }
};

class StepMeter {
 public:
  explicit StepMeter(int64_t most_steps, TimePoint start = Clock::now());

  void begin_step();  // ends the step before it
  // Runs work() and charges its time, but for phases nested in it, to `phase`.
  template <typename Work>
  decltype(auto) timed(Phase phase, Work&& work) {
    const Scope scope(*this, phase);
    return std::forward<Work>(work)();
  }
  // `time` of what `from` was charged in this step was really spent in `to`.
  void recharge(Phase from, Phase to, Seconds time);
  void end_step(int images, const StepLosses& losses);  // from here on the record is there

  // The losses of the step that has just ended are not complete: a device reports them later.
  void await_losses() { ++awaited_; }
  int awaited() const { return awaited_; }  // of the last steps
  StepRecord& first_awaited();              // the oldest of them
  void losses_complete() { --awaited_; }    // of that one

  // Between steps. Brings the record of the last step up to now.
  void settle();
  // So much of the time since the last step is no part of any step.
  void exclude(Seconds time);
  // Ends the last step now: what follows until the next begin_step() belongs to no step.
  void close();

  std::span<const StepRecord> records() const { return records_; }

 private:
  class Scope {
   public:
    Scope(StepMeter& meter, Phase phase) : meter_(meter), outer_(meter.enter(phase)) {}
    ~Scope() { meter_.enter(outer_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StepMeter& meter_;
    Phase outer_;
  };

  Phase enter(Phase phase);  // returns the phase that it leaves

  TimePoint start_;       // of the meter
  TimePoint step_begin_;  // of the running step
  TimePoint mark_;        // up to here time is charged
  Phase current_ = Phase::Between;
  StepRecord step_;             // while it runs
  StepRecord* open_ = nullptr;  // the record that time is charged to; null: none
  Seconds excluded_{};          // from it
  std::vector<StepRecord> records_;
  int awaited_ = 0;
};

std::vector<double> durations(std::span<const StepRecord> records);  // in seconds

}  // namespace lockstep
