// run_input.h: the input of a run, from its options: what is in --data-dir, and how it is read.
#pragma once

#include <iosfwd>
#include <memory>

#include "app/plan.h"
#include "data/make_input.h"

namespace lockstep {

// Fills in --data-name from what lies in --data-dir, and says so. Before plan_run(): the network
// depends on it. Throws Error when nothing usable is there, UsageError when --data-name says
// otherwise.
void settle_data_name(RunConfig& config, std::ostream& err);

// Which part of the data a worker sees, and which part of its host it may use.
struct InputShare {
  int rank = 0, ranks = 1;
  int usable_threads = 1;  // of the host, for this worker's computing and input together
};

InputSpec input_spec(const RunPlan& plan, const InputShare& share);
std::unique_ptr<InputSource> make_run_input(const RunPlan& plan, const InputShare& share);

InputResult input_result(const InputSource& input);

}  // namespace lockstep
