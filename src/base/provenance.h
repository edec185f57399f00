// provenance.h: where a result comes from: the program's revision, and how the user started it.
//
// A launcher passes the user's command line on to the processes that it starts, in the environment,
// because their own command lines are of no use to anybody. A sweep passes on its own as well.
#pragma once

#include <string>

namespace lockstep {

inline constexpr const char* kCommandLineVariable = "LOCKSTEP_COMMAND_LINE";
inline constexpr const char* kWorkingDirectoryVariable = "LOCKSTEP_WORKING_DIRECTORY";
inline constexpr const char* kStartedByVariable = "LOCKSTEP_STARTED_BY";
inline constexpr const char* kSettingsVariable = "LOCKSTEP_SETTINGS";
// Set for processes that lockstep starts: their arguments say all, so configuration files and other
// variables do not count.
inline constexpr const char* kDefaultsVariable = "LOCKSTEP_DEFAULTS";
inline constexpr const char* kNoDefaults = "off";

struct Provenance {
  std::string revision = "";      // of the program's sources, by git; empty: unknown
  std::string command_line = "";  // as a shell reads it
  std::string working_directory = "";
  std::string started_by = "";  // the command line of the sweep; empty: it is no launch of one
  // Options that the command line does not give, each with what gives it, separated by "; ":
  // "batch-size=64 (lockstep.toml:3)".
  std::string settings = "";
};

}  // namespace lockstep
