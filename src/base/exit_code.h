// exit_code.h: the exit codes of every command.
#pragma once

namespace lockstep {

inline constexpr int kSuccess = 0, kFailure = 1, kUsage = 2, kUndecided = 3, kInterrupted = 130;

}  // namespace lockstep
