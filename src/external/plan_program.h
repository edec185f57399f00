// plan_program.h: from a program and a configuration to the processes to start.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"
#include "external/definition.h"
#include "process/command.h"

namespace lockstep {

// Gives the options that the program fixes their values. Throws UsageError when the user wants
// others.
RunConfig with_fixed_options(const Program& program, const RunConfig& run);

// What the user asked for and the program would never hear of, one line each: the result would
// claim what was not run.
std::vector<std::string> unsupported_options(const Program& program, const RunConfig& options);

struct Addresses {
  std::vector<std::string> servers, workers;  // host:port
  std::string port = {};                      // one more, for what processes agree on: {port}
};

struct ProcessCounts {
  int servers = 0, workers = 1;
};
ProcessCounts process_counts(const Program& program, const RunConfig& run);

// How many workers print a throughput: of one process, those that its lines tell apart.
int reporting_workers(const Program& program, const RunConfig& run);

// `run` says the model, the batch and the number of batches that are meant, never "absent".
// Throws UsageError with every wish that the program cannot fulfil.
std::vector<Command> plan_program(const Program& program, const RunConfig& run,
                                  const Addresses& addresses);

}  // namespace lockstep
