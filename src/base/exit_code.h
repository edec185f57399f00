// exit_code.h: the exit codes of every command.
#pragma once

#include <string_view>

namespace lockstep {

inline constexpr int kSuccess = 0, kFailure = 1, kUsage = 2, kUndecided = 3, kInterrupted = 130;

struct ExitCodeRow {
  int code;
  std::string_view name, meaning;
};

// What help, manual pages and docs/configuration.md say of them.
inline constexpr ExitCodeRow kExitCodes[] = {
    {kSuccess, "success", "the command did what was asked"},
    {kFailure, "run failed", "a run failed, or a regression or damaged data was found"},
    {kUsage, "invalid request", "options, paths or files that cannot be used"},
    {kUndecided, "no verdict", "the measurements do not tell which is faster"},
    {kInterrupted, "interrupted", "Ctrl-C or SIGTERM"},
};

}  // namespace lockstep
