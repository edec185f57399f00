// allreduce_options.h: the command line of `lockstep allreduce`. Flags are called as in nccl-tests
// where it has them.
#pragma once

#include <string>
#include <vector>

#include "app/commands/allreduce_work.h"
#include "app/options.h"
#include "config/run_config.h"

namespace lockstep {

struct AllReduceOptions {
  RunConfig run;  // what connects the ranks, and where the result goes
  SizeRange sizes;
  bool of_model = false;
  std::vector<std::string> backends;  // empty: what suits where the ranks are
  int iterations = 20, warm_up = 5;
  bool check = true;
  bool tune = false;
};

CommandSyntax all_reduce_syntax(AllReduceOptions& options);  // writes into them

// The command line of another process that is to do the same, with these options of the run.
std::vector<std::string> all_reduce_arguments(const AllReduceOptions& options,
                                              const RunConfig& run);

std::vector<Reduction> reductions_for(const AllReduceOptions& options);

// Before anything is started. Throws UsageError or Error.
void check_options(const AllReduceOptions& options);

}  // namespace lockstep
