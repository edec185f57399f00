// run_options.h: the one table of a run's options. Command line, help, JSON and sweep files are
// all derived from it.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

using RunMember =
    std::variant<bool RunConfig::*, int RunConfig::*, double RunConfig::*, std::string RunConfig::*,
                 std::optional<int> RunConfig::*, std::optional<double> RunConfig::*,
                 std::vector<std::string> RunConfig::*>;

struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

struct OptionDetails {
  Range range = {};                       // of numbers, both ends allowed
  std::vector<std::string> choices = {};  // of texts; empty: any. N at the end: a number
  std::string choices_note = {};          // added to the error that lists them
  // Other words for a choice: {"auto", "cpu"}.
  std::vector<std::pair<std::string, std::string>> value_aliases = {};
  bool may_be_empty = false;              // of texts with choices
  bool is_part = false;                   // of numbers: 1% is 0.01
  char letter = 0;                        // 'b' allows -b
  std::vector<std::string> aliases = {};  // other names for the same
  std::string value_name = {};            // in help: FILE, DIR; empty: by type
  bool only_tells = false;                // changes what is written, never what is measured
  bool only_starts = false;  // how processes are reached and watched, never what they do
  bool launches = false;     // for the launcher, not for the processes it starts
  bool internal = false;     // for processes that this program starts; not in the help
};

struct RunOption {
  std::string name;  // with dashes, as on the command line
  RunMember member;
  std::string group;
  std::string help;
  OptionDetails details = {};
};

std::span<const RunOption> run_options();  // in the order of the help

// By its name or an alias, with dashes or underscores; null: there is none.
const RunOption* find_option(std::string_view name);

// Runs that differ in it are different runs: it can change what is measured.
bool is_identity(const RunOption& option);

bool is_switch(const RunOption& option);                             // needs no value
bool is_list(const RunOption& option);                               // each time it is given counts
std::string value_name(const RunOption& option);                     // "N", "FILE", "sgd|momentum"
std::string text_of(const RunConfig& run, const RunOption& option);  // "" when absent
// The choice that the text names, in whatever case, or by a value alias. Throws UsageError that
// lists the choices, and names the one that was probably meant.
std::string choice_in(const RunOption& option, std::span<const std::string> choices,
                      std::string_view text);
// Of a list the text has a line for each value, and setting adds to it.
// Throws UsageError, in the user's words, when the text is no allowed value.
void set_from_text(RunConfig& run, const RunOption& option, std::string_view text);

}  // namespace lockstep
