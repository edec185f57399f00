// plan_program.h: plans the processes of an external program for a configuration.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"
#include "external/definition.h"
#include "process/command.h"

namespace lockstep {

// Sets the options that the program fixes. Throws UsageError if the user gave other values.
RunConfig with_fixed_options(const Program& program, const RunConfig& run);

// Given options that the command does not pass to the program, one line each. Otherwise the result
// would claim settings that were not used.
std::vector<std::string> unsupported_options(const Program& program, const RunConfig& options);

struct Addresses {
  std::vector<std::string> servers, workers;  // host:port
  std::string port = {};                      // one more port, for {port}
};

struct ProcessCounts {
  int servers = 0, workers = 1;
};
ProcessCounts process_counts(const Program& program, const RunConfig& run);

// Number of workers that print a throughput. One process may print lines of several workers.
int reporting_workers(const Program& program, const RunConfig& run);

// `run` must be resolved: model, batch size and number of batches are set. Throws UsageError with
// all options that the program does not support.
std::vector<Command> plan_program(const Program& program, const RunConfig& run,
                                  const Addresses& addresses);

}  // namespace lockstep
