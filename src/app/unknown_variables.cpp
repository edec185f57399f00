#include "app/unknown_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "app/command_words.h"
#include "app/commands/jupyter.h"
#include "base/bundle.h"
#include "base/provenance.h"
#include "base/run_event.h"
#include "base/text.h"
#include "launch/rank_variables.h"

namespace lockstep {
namespace {

// Set by lockstep for the processes that it starts.
constexpr const char* kOfProcesses[] = {
    kRankVariable,   kSizeVariable,      kStoreVariable,
    kEventsVariable, kSettingsVariable,  kCommandLineVariable,
    kTorchVariable,  kStartedByVariable, kWorkingDirectoryVariable,
    kResultsVariable};

// Users set these, besides those of options.
constexpr const char* kOfUsers[] = {kDefaultsVariable, kTokenVariable};

// Of ./run and the modulefile.
constexpr const char* kOfOtherTools[] = {"LOCKSTEP_TORCH", "LOCKSTEP_MPI", "LOCKSTEP_ROOT"};

std::string in_capitals(std::string_view name) {
  std::string result(name);
  std::ranges::transform(result, result.begin(), [](unsigned char letter) {
    return letter == '-' ? '_' : static_cast<char>(std::toupper(letter));
  });
  return result;
}

std::vector<std::string> variables_of_users(const std::vector<CommandSyntax>& commands) {
  std::vector<std::string> variables(std::begin(kOfUsers), std::end(kOfUsers));
  for (const CommandSyntax& command : commands) {
    for (const Flag& flag : command.flags) {
      for (const std::string& name : names_of(flag)) variables.push_back(variable_of(name));
    }
  }
  return variables;
}

// The common beginning would make all names alike. Two edits of a three-letter word are another
// word.
std::string closest_variable(const std::string& variable, const std::vector<std::string>& known) {
  constexpr size_t kLeast = 4;
  if (variable.size() < kVariablePrefix.size() + kLeast) return "";
  std::vector<std::string> endings;
  for (const std::string& each : known) endings.push_back(each.substr(kVariablePrefix.size()));
  const std::string near = closest(in_capitals(variable.substr(kVariablePrefix.size())), endings);
  return near.empty() ? "" : std::string(kVariablePrefix) + near;
}

}  // namespace

std::string variable_of(std::string_view option) {
  return std::string(kVariablePrefix) + in_capitals(option);
}

std::vector<std::string> notes_on_unknown(const std::vector<std::string>& variables,
                                          const std::vector<CommandSyntax>& commands) {
  const std::vector<std::string> known = variables_of_users(commands);
  std::vector<std::string> notes;
  for (const std::string& variable : variables) {
    if (std::ranges::count(known, variable) > 0) continue;
    if (std::ranges::count(kOfProcesses, variable) > 0) continue;
    if (std::ranges::count(kOfOtherTools, variable) > 0) continue;
    const std::string near = closest_variable(variable, known);
    notes.push_back(fmt::format("{} is ignored: no option or setting has this name; {}", variable,
                                near.empty() ? "docs/configuration.md lists all variables"
                                             : fmt::format("did you mean {}?", near)));
  }
  return notes;
}

bool prints_notes(const Environment& environment) {
  constexpr const char* kRanks[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
  return std::ranges::all_of(
      kRanks, [&](const char* rank) { return environment(rank).value_or("0") == "0"; });
}

}  // namespace lockstep
