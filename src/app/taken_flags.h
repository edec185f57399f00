// taken_flags.h: options of a run that another command takes too.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/options.h"
#include "config/run_config.h"

namespace lockstep {

// An option of a run, and its help in the command if that differs.
struct TakenFlag {
  std::string_view name;
  std::string_view help = {};
};

// In the order of run_flags(), among the options of the command. They write into `run`.
std::vector<Flag> taken_flags(RunConfig& run, std::span<const TakenFlag> taken);

// Those that are not at their default, as words of a command line.
std::vector<std::string> taken_arguments(const RunConfig& run, std::span<const TakenFlag> taken);

}  // namespace lockstep
