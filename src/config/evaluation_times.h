// evaluation_times.h: the steps at which a training run evaluates, from its options.
#pragma once

#include <cstdint>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

bool evaluates_during_training(const RunConfig& run);

// What is wrong with the lists of steps and epochs: one line each, in the user's words.
std::vector<std::string> evaluation_problems(const RunConfig& run);

class EvaluationTimes {
 public:
  // Of a run without problems. Both are of all workers together; epochs are rounded up to steps.
  EvaluationTimes(const RunConfig& run, int64_t examples_per_epoch, int64_t examples_per_step);

  bool due(int64_t step) const;  // `step`: updates so far

 private:
  int64_t every_ = 0;        // 0: not regularly
  std::vector<int64_t> at_;  // ascending
};

}  // namespace lockstep
