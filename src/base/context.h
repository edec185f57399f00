// context.h: the context of a process: streams, environment, program path.
//
// Only main() asks the system for these; everything else is handed them, so tests can run a command
// inside their own process.
#pragma once

#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/provenance.h"
#include "base/time.h"

namespace lockstep {

// An option that a configuration file or a variable of the environment gives, unless the command
// line does (docs/configuration.md).
struct OptionDefault {
  std::string command;  // the one that it is for; empty: every command that has the option
  std::string name;     // with dashes
  std::vector<std::string> values;
  std::string source;  // "lockstep.toml:3" or "LOCKSTEP_BATCH_SIZE"
};

// How the variables begin that are meant for lockstep.
inline constexpr std::string_view kVariablePrefix = "LOCKSTEP_";

using Environment = std::function<std::optional<std::string>(const std::string& name)>;

struct Context {
  std::ostream& out;  // results, read by programs
  std::ostream& err;  // progress, notes and errors
  bool err_is_terminal = false;
  bool colour = false;                      // the terminal may be coloured
  std::string program = "";                 // path of this program, to start itself
  std::string cache_directory = "";         // for what is kept between runs; empty: keep nothing
  std::optional<int> default_threads = {};  // from the environment; absent: every core
  TimePoint start = Clock::now();
  Environment environment = [](const std::string&) { return std::nullopt; };
  std::vector<std::string> own_variables = {};  // the names in it that begin with kVariablePrefix
  Provenance provenance = {};                   // of the results of this process
  std::vector<OptionDefault> defaults = {};     // a later one counts more
  bool quiet = false;                           // --quiet
  std::function<void()> hold_err = {};  // for --quiet: err is shown only if the command fails
};

}  // namespace lockstep
