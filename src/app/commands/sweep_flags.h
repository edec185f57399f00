// sweep_flags.h: the command line of `lockstep sweep`, and of its like: every option of a run as
// an axis.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/options.h"
#include "sweep/axes.h"

namespace lockstep {

struct SweepWishes {
  std::map<std::string, std::vector<std::string>> lists;  // by name: models, and options of a run
  std::string file;                                       // sweep.toml
  std::string output;
  int max_devices = 0;  // 0: as many as there are cores
  std::optional<int> repeats = {};
  std::optional<double> precision = {};
  int order_seed = 1;
  double run_timeout = 3600;
  bool dry_run = false, best = false, retry_failed = false;
};

// A command that launches many runs.
struct SweepSyntax {
  std::string command, summary;
  std::string repeats_help, repeats;      // and its default
  std::string output;                     // default directory
  std::vector<std::string> without = {};  // flags that it does not have
};
const SweepSyntax& sweep_syntax();  // of `lockstep sweep`

// Reads the line and the file that it names; the line's names replace the file's.
Parsed parse_sweep(SweepWishes& wishes, const SweepSyntax& command,
                   std::span<const std::string> arguments);
std::string sweep_help(const SweepSyntax& command);

// `cores`: of this machine, for what is not said.
std::vector<Axis> axes_of(const SweepWishes& wishes, int cores);

}  // namespace lockstep
