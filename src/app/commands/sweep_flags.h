// sweep_flags.h: the command line of `lockstep sweep` and `lockstep tune`: every option of a run is
// an axis.
#pragma once

#include <string>
#include <vector>

#include "app/command_line.h"
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

}  // namespace lockstep
