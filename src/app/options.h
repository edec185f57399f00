// options.h: command-line parsing; the only user of CLI11.
//
// A command says which flags it takes; reading a line calls the set() of each one given. Names may
// be written in the ways of command_words.h; a switch --x can be turned off by --nox, --no-x or
// --x=false; given twice, the last counts. All problems of a line are reported at once.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/context.h"
#include "config/run_options.h"

namespace lockstep {

// What an option of the command line overrules of files and variables, because it excludes them:
// with --launcher local, hosts; with --num-epochs, --num-batches.
struct Overrules {
  std::string value = {};  // only this one; empty: every value but an empty one
  std::vector<std::string> options = {};
};

struct Flag {
  std::string name;        // with dashes
  std::string value_name;  // in help; empty: a switch
  std::string help;
  std::function<void(const std::string&)> set;  // of a switch: "true" or "false"; throws UsageError
  std::string group = "Options";
  std::string default_text = {};
  bool starts_on = false;  // of a switch: on unless it is turned off
  char letter = 0;
  std::vector<std::string> aliases = {};
  bool many = false;       // given several times, set() is called for each; else the last counts
  bool hidden = false;     // not in the help: known only to be refused with a reason
  bool of_others = false;  // an option of other commands: defaults for all commands are not for it
  Overrules overrules = {};
};

// Words that belong to no flag.
struct Positional {
  std::string name;
  std::string help;
  std::function<void(const std::string&)> set;  // called for each
  bool many = false;
  bool required = false;  // for the help only; the command itself reports a missing word
};

struct CommandSyntax {
  std::string command;  // "train"
  std::string summary;
  std::vector<Flag> flags;
  std::optional<Positional> positional = {};
};

enum class Parsed { Options, Help };  // Help: --help was given, and nothing was set

// An option that is not at its default, and what set it: the command line, or a source of
// OptionDefault.
struct OptionSource {
  std::string name;
  std::string value;  // several, with commas in between
  std::string source;
};
inline constexpr const char* kCommandLine = "command line";

// Options that the line does not give are set to what `defaults` gives them; a later one counts
// more. Throws UsageError with one line per problem.
Parsed parse(const CommandSyntax& syntax, std::span<const std::string> arguments,
             std::span<const OptionDefault> defaults = {},
             std::vector<OptionSource>* sources = nullptr);

// Throws UsageError, which begins with `where`, unless the command has an option of this name.
void check_option_name(const CommandSyntax& syntax, const std::string& name,
                       const std::string& where);

std::string help_text(const CommandSyntax& syntax);

// "2%", "2 %" and "0.02" are the same. Throws UsageError that names the option.
double fraction_in(const std::string& option, const std::string& text);

// Notes in `given`, which outlives the parsing, that a line has this flag.
void note_given(std::vector<Flag>& flags, std::string_view name, bool& given);

// Of an option of a run.
Overrules overrules_of(std::string_view option);

// The flags of a run, from the table of config/run_options.h; they write into `run`.
std::vector<Flag> run_flags(RunConfig& run);

}  // namespace lockstep
