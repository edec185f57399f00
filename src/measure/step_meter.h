// step_meter.h: records the time of each phase of each step, raw.
//
// A step is cut into phases by scopes. Scopes nest, and time belongs to the innermost: when the
// optimizer runs on one gradient in the middle of backward, that time is Update, not Backward. So
// the phases of a step never overlap, and what they leave of its duration is the loop itself.
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

enum class Phase { Input, Forward, Backward, Communication, Update };
inline constexpr std::array<std::string_view, 5> kPhaseNames = {"input", "forward", "backward",
                                                                "exposed_communication", "update"};

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

  void begin_step();
  // Runs work() and charges its time, but for phases nested in it, to `phase`.
  template <typename Work>
  decltype(auto) timed(Phase phase, Work&& work) {
    const Scope scope(*this, static_cast<int>(phase));
    return std::forward<Work>(work)();
  }
  // `time` of what `from` was charged in this step was really spent in `to`.
  void recharge(Phase from, Phase to, Seconds time);
  void end_step(int images, const StepLosses& losses);

  std::span<const StepRecord> records() const { return records_; }

 private:
  static constexpr int kNone = -1;

  class Scope {
   public:
    Scope(StepMeter& meter, int phase) : meter_(meter), outer_(meter.enter(phase)) {}
    ~Scope() { meter_.enter(outer_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StepMeter& meter_;
    int outer_;
  };

  int enter(int phase);  // returns the phase that it leaves

  TimePoint start_;       // of the meter
  TimePoint step_begin_;  // of the running step
  TimePoint mark_;        // up to here time is charged
  int current_ = kNone;
  StepRecord step_;
  std::vector<StepRecord> records_;
};

std::vector<double> durations(std::span<const StepRecord> records);  // in seconds

}  // namespace lockstep
