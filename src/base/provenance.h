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

struct Provenance {
  std::string revision = "";      // of the program's sources, by git; empty: unknown
  std::string command_line = "";  // as a shell reads it
  std::string working_directory = "";
  std::string started_by = "";  // the command line of the sweep; empty: it is no launch of one
};

}  // namespace lockstep
