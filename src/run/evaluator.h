// evaluator.h: measures the accuracy of a network on validation examples, with all workers.
//
// It has an engine of its own, in inference mode: batch normalisation uses its moving averages.
// Those of rank 0 count, and so do its values, so all workers judge the same network.
#pragma once

#include <memory>

#include "base/context.h"
#include "data/pipeline/validation_set.h"
#include "run/checkpoint_schedule.h"
#include "run/group.h"

namespace lockstep {

class Evaluator {
 public:
  // Collective: opens the validation data. Borrows all; `context` gets the lines. Throws Error.
  Evaluator(const RunPlan& plan, Group& group, Context& context);

  // For the header: batches instead of steps, and passes over the validation data.
  RunFacts facts() const;
  double epochs() const;

  // Collective.
  Evaluation evaluate(int64_t step, const PausedReplica& replica);
  Evaluation evaluate(const Checkpoint& checkpoint);

 private:
  void take_values(const PausedReplica& replica);
  std::unique_ptr<InputSource> begin_pass() const;
  Evaluation run(int64_t step);

  const RunPlan& plan_;
  Group& group_;
  Context& context_;
  std::unique_ptr<Engine> engine_;
  ParameterArena arena_;
  ValidationSet examples_;
};

}  // namespace lockstep
