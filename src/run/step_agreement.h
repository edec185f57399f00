// step_agreement.h: what all workers agree on between two steps; the one place that decides when
// a run stops.
//
// A worker that stopped or wrote a checkpoint alone would leave the others waiting. So all agree
// after every warm-up step, after every step that is shown, and else about once a second.
#pragma once

#include <utility>

#include "base/interrupt.h"
#include "comm/communicator.h"
#include "measure/step_meter.h"
#include "train/loop.h"

namespace lockstep {

class StepAgreement {
 public:
  explicit StepAgreement(Communicator& control) : control_(control) {}

  bool due(int step) const { return step < 0 || step >= next_; }
  // Collective. `mine`: the last step here; returns the whole run's: the images and hits of all,
  // the mean of their losses. Interrupts and requests of any worker take effect here.
  StepRecord agree(int step, const StepRecord& mine);
  Seconds longest(Seconds mine);  // collective: the longest time of any worker
  bool alone() const { return control_.size() == 1; }

  // As agreed last. A worker without others need not wait for the next agreement.
  StopReason stop_reason() const {
    if (goal_reached_) return StopReason::GoalReached;
    const bool stops = interrupted_ || (alone() && interrupts_.interrupted());
    return stops ? StopReason::Interrupted : StopReason::None;
  }

  // Requests, which all workers see at the next agreement.
  void ask_to_end() { asks_to_end_ = true; }  // the goal is reached
  void ask_to_save() { asks_to_save_ = true; }
  // On all workers alike, who need no agreement: every one of them sees the same accuracy.
  void reach_goal() { goal_reached_ = true; }
  // Whether any worker requested a checkpoint; equal on all workers. True once for each request.
  bool take_save_request() { return std::exchange(save_, false); }

 private:
  Communicator& control_;
  InterruptWatch interrupts_{"", InterruptWatch::Afterwards::Nothing};
  int next_ = 1;
  bool interrupted_ = false, goal_reached_ = false, save_ = false;
  bool asks_to_end_ = false, asks_to_save_ = false;
};

}  // namespace lockstep
