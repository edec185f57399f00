// sweep_flags.h: the command line of `lockstep sweep` and `lockstep tune`: every option of a run is
// an axis.
#pragma once

#include <string>
#include <vector>

#include "app/options.h"
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

// Reads the command line and the file that it names; the command line overrides the file.
Parsed parse_sweep(SweepOptions& options, const SweepSyntax& command,
                   std::span<const std::string> arguments);
std::string sweep_help(const SweepSyntax& command);

}  // namespace lockstep
