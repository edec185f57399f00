// sweep_flags.h: the command line of `lockstep sweep` and `lockstep tune`: every option of a run is
// an axis.
#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
#include "sweep/run_sweep.h"
#include "sweep/sweep_options.h"

namespace lockstep {

// A command that launches many runs.
struct SweepSyntax {
  std::string command, summary;
  std::string repeats_help, repeats;      // and its default
  std::string output;                     // default directory
  std::vector<std::string> without = {};  // flags of a sweep that it does not have
};
const SweepSyntax& sweep_syntax();  // of `lockstep sweep`

// Reads the command line and the file that it names; the command line overrides the file. Answers
// as answered() of command_line.h.
bool sweep_answered(RunContext& context, SweepOptions& options, const SweepSyntax& command,
                    std::span<const std::string> arguments);

// What `gpu` means on this host, if the options name devices; empty: it has none.
std::string gpu_for_sweep(const SweepOptions& options, const RunContext& context);

// Throws UsageError when the engine of a run is in a program that is not built.
void require_programs(const SweepPlan& plan, const RunContext& context);

}  // namespace lockstep
