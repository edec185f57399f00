// precision_rule.h: decides when a run may stop early: its steps are steady and the confidence
// interval of its throughput is narrow enough.
//
// It is looked at after 30 timed steps, and then whenever there are half as many more: looking
// costs time between steps, and every look gives chance an occasion to end the run too early.
#pragma once

#include "measure/step_meter.h"

namespace lockstep {

class PrecisionRule {
 public:
  static constexpr int kFirstLook = 30;

  // `wanted`: half of the 95 % interval of the throughput, over the throughput.
  explicit PrecisionRule(double wanted) : wanted_(wanted) {}

  bool due(int step) const { return step >= next_; }  // on all ranks alike
  void looked() { next_ += (next_ + 1) / 2; }
  bool reached(std::span<const StepRecord> timed) const;  // all timed steps so far

 private:
  double wanted_;
  int next_ = kFirstLook;
};

}  // namespace lockstep
