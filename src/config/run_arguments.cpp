#include "config/run_arguments.h"

#include <fmt/format.h>

#include "base/shell_quote.h"
#include "base/text.h"
#include "config/run_options.h"

namespace lockstep {

std::vector<std::string> train_arguments(const RunConfig& run) {
  static const RunConfig kDefaults;
  std::vector<std::string> arguments;
  for (const RunOption& option : run_options()) {
    const std::string text = text_of(run, option);
    // Which engine is the default depends on the program, and which network or device on the hosts.
    const bool named = option.name == "engine" || option.name == "model" || option.name == "device";
    const bool needed = named || text != text_of(kDefaults, option);
    if (needed) arguments.push_back(fmt::format("--{}={}", option.name, text));
  }
  return arguments;
}

std::string train_command_line(const RunConfig& run) {
  static const RunConfig kDefaults;
  std::vector<std::string> words = {
      "lockstep", "train", "--model=" + (run.network_file.empty() ? run.model : run.network_file)};
  for (const RunOption& option : run_options()) {
    const std::string text = text_of(run, option);
    const bool told =
        option.name == "model" || option.details.only_tells || option.details.internal;
    if (told || text == text_of(kDefaults, option)) continue;
    for (const std::string& value : is_list(option) ? split(text, '\n') : std::vector{text}) {
      words.push_back(fmt::format("--{}={}", option.name, value));
    }
  }
  return shell_line(words);
}

}  // namespace lockstep
