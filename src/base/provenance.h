// provenance.h: where a result comes from: the program's revision, and how the user started it.
//
// A launcher passes the user's command line on to the processes that it starts, in the environment,
// because their own command lines are of no use to anybody.
#pragma once

#include <string>

namespace lockstep {

inline constexpr const char* kCommandLineVariable = "LOCKSTEP_COMMAND_LINE";
inline constexpr const char* kWorkingDirectoryVariable = "LOCKSTEP_WORKING_DIRECTORY";

struct Provenance {
  std::string revision = "";      // of the program's sources, by git; empty: unknown
  std::string command_line = "";  // as a shell reads it
  std::string working_directory = "";
};

}  // namespace lockstep
