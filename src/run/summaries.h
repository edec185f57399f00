// summaries.h: writes loss, learning rate, speed and accuracy for TensorBoard.
#pragma once

#include "report/results/benchmark_log.h"
#include "run/run_plan.h"
#include "train/event_file.h"

namespace lockstep {

class Summaries {
 public:
  explicit Summaries(const RunPlan& plan);  // borrows; throws Error when nothing can be written

  // `last`: of all workers; `done`: updates since the run began.
  void step(const StepRecord& last, int64_t done, double images_per_second);
  void evaluation(const Evaluation& evaluation);

 private:
  const RunPlan& plan_;
  EventFile file_;
};

bool is_summary_step(const RunConfig& run, int step);  // of the timed ones

void log_evaluation(BenchmarkLog& log, const Evaluation& evaluation);

}  // namespace lockstep
