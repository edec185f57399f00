// external_run.h: one run of an external program, planned and checked.
#pragma once

#include <vector>

#include "base/context.h"
#include "config/run_config.h"
#include "external/definition.h"
#include "external/plan_program.h"
#include "process/command.h"
#include "process/run_commands.h"

namespace lockstep {

struct ExternalRun {
  Program program;
  RunConfig config;  // resolved
  ProcessCounts counts;
  std::vector<Command> plan;  // servers first
  int workers = 1;            // that print a throughput
  RunLimits limits;
};

// Throws UsageError with all problems. `environment` decides which Python is used.
ExternalRun plan_external(const RunConfig& options, const Environment& environment);

}  // namespace lockstep
