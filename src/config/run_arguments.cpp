#include "config/run_arguments.h"

#include <fmt/format.h>

#include "config/run_options.h"

namespace lockstep {

std::vector<std::string> train_arguments(const RunConfig& run) {
  static const RunConfig kDefaults;
  std::vector<std::string> arguments;
  for (const RunOption& option : run_options()) {
    const std::string text = text_of(run, option);
    // Which engine is the default depends on the program.
    const bool needed = text != text_of(kDefaults, option) || option.name == "engine";
    if (needed) arguments.push_back(fmt::format("--{}={}", option.name, text));
  }
  return arguments;
}

}  // namespace lockstep
