// step_agreement.h: now and then all workers meet between two steps, to agree on what is shown, and on
// whether to stop or to make a checkpoint: whoever did so alone would leave the others waiting.
//
// They meet after every warm-up step, after every step that is shown, and else about once a second.
#pragma once

#include <utility>

#include "comm/communicator.h"
#include "measure/step_meter.h"

namespace lockstep {

class Pulse {
 public:
  explicit Pulse(Communicator& control) : control_(control) {}

  bool due(int step) const { return step < 0 || step >= next_; }
  // Collective. `mine`: the last step here; returns the whole run's: the images and hits of all,
  // the mean of their losses.
  StepRecord meet(int step, const StepRecord& mine, bool wants_stop);
  bool alone() const { return control_.size() == 1; }
  bool stop() const { return stop_; }  // somebody wanted to, at the last meeting

  // Somebody had measured enough, at the last meeting: an end like the planned one.
  bool enough() const { return enough_; }
  void ask_to_end() { asked_to_end_ = true; }  // at the next meeting

  void ask_to_save() { asked_to_save_ = true; }  // at the next meeting
  // Since the last meeting somebody's wish is known to all, who call this alike. Once for each.
  bool take_wish_to_save() { return std::exchange(save_, false); }

 private:
  Communicator& control_;
  int next_ = 1;
  bool stop_ = false, enough_ = false, save_ = false;
  bool asked_to_end_ = false, asked_to_save_ = false;
};

}  // namespace lockstep
