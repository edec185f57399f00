// run_input.h: the input of a run, from its options: what is in --data-dir, and how it is read.
#pragma once

#include <iosfwd>
#include <memory>

#include "app/crew.h"
#include "app/plan.h"
#include "data/make_input.h"

namespace lockstep {

// Fills in --data-name from what lies in --data-dir, and says so where `told` is not null. Before
// plan_run(): the network depends on it. Throws Error when nothing usable is there, UsageError when
// --data-name says otherwise.
void settle_data_name(RunConfig& config, std::ostream* told);

// How many training examples --data-dir holds, counted by rank 0; 0: there is none. Collective.
int64_t count_training_examples(const RunConfig& config, Crew& crew);

// Which part of the data a worker sees, and which part of its host it may use.
struct InputShare {
  int rank = 0, ranks = 1;
  int cores = 1;         // for this worker's computing and input together
  int workers_here = 1;  // that share the host's memory
};

InputShare input_share(const Crew& crew);  // of this worker
InputSpec input_spec(const RunPlan& plan, const InputShare& share);
std::unique_ptr<InputSource> make_run_input(const RunPlan& plan, const InputShare& share);

InputResult input_result(const InputSource& input);

}  // namespace lockstep
