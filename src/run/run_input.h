// run_input.h: opens the input of a run: infers the data set of --data-dir and reads it.
#pragma once

#include <iosfwd>
#include <memory>

#include "data/pipeline/make_input.h"
#include "measure/cores.h"
#include "run/group.h"
#include "run/run_plan.h"

namespace lockstep {

// Infers --data-name from the files in --data-dir, with a note if `told` is not null. Before
// plan_run(): the network depends on it. Throws Error when nothing usable is there, UsageError when
// --data-name says otherwise.
void infer_data_name(RunConfig& config, std::ostream* told);

// Whether the workers may see other directories than this process does.
bool runs_elsewhere(const RunConfig& config, const Environment& environment);

// How many training examples --data-dir holds, counted by rank 0, which notes files that are
// missing; 0: there is no such directory. Collective.
int64_t count_training_examples(const RunConfig& config, Group& group, std::ostream& notes);
void note_missing_files(const RunConfig& config, Split split, std::ostream& notes);

// Collective: throws Error when the workers do not read the same. Each subject once.
void check_same_data(Group& group, const std::string& subject, const std::string& contents);

// Which part of the data a worker sees, and which part of its host it may use.
struct InputShare {
  int rank = 0, ranks = 1;
  int cores = 1;         // for this worker's computing and input together
  int workers_here = 1;  // that share the host's memory
};

// While it lives, threads that this one starts may use all cores of the worker. An engine that has
// a thread for each of them has bound this one to its own, where all of the input would follow it.
class OnAllCores {
 public:
  explicit OnAllCores(const Group& group) { bind_this_thread(group.usable_cores()); }
  ~OnAllCores() { bind_this_thread(before_); }
  OnAllCores(const OnAllCores&) = delete;
  OnAllCores& operator=(const OnAllCores&) = delete;

 private:
  const CoreSet before_ = allowed_cores();
};

InputShare input_share(const Group& group);  // of this worker
InputSpec input_spec(const RunPlan& plan, const InputShare& share);
std::unique_ptr<InputSource> make_run_input(const RunPlan& plan, const InputShare& share);

InputResult input_result(const InputCost& cost, const Skipped& skipped);

}  // namespace lockstep
