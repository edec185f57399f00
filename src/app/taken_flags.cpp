#include "app/taken_flags.h"

#include <fmt/format.h>

#include <algorithm>

#include "config/run_options.h"

namespace lockstep {

std::vector<Flag> taken_flags(RunConfig& run, std::span<const TakenFlag> taken) {
  std::vector<Flag> flags;
  for (Flag& flag : run_flags(run)) {
    const auto row = std::ranges::find(taken, flag.name, &TakenFlag::name);
    if (row == taken.end()) continue;
    flag.group = "Options";
    if (!row->help.empty()) flag.help = row->help;
    flags.push_back(std::move(flag));
  }
  return flags;
}

std::vector<std::string> taken_arguments(const RunConfig& run, std::span<const TakenFlag> taken) {
  static const RunConfig kDefaults;
  std::vector<std::string> words;
  for (const TakenFlag& row : taken) {
    const RunOption& option = *find_option(row.name);
    const std::string text = text_of(run, option);
    if (text != text_of(kDefaults, option)) words.push_back(fmt::format("--{}={}", row.name, text));
  }
  return words;
}

}  // namespace lockstep
