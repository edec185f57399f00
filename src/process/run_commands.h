// run_commands.h: executes a plan: starts its processes, passes on their output, and ends them.
//
// It returns when every worker has ended, a process failed, a time limit is reached, or the caller
// asks to stop, and only when every process of every group is gone. Memory is bounded for any
// output. If this process is killed, a guard ends the others. If a function of the caller throws,
// the processes are ended as after a failure, and the exception is passed on.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/time.h"
#include "process/command.h"
#include "process/process.h"

namespace lockstep {

// An interrupted run finishes its current step, which may take long.
inline constexpr Seconds kLongSteps{300};

struct RunLimits {
  Seconds time{3600};                   // for the whole plan
  std::optional<Seconds> silence = {};  // longest time without output, and without reading input
  // Longest time that a command may be stopped by a signal: a stopped mpirun passes on nothing.
  std::optional<Seconds> stopped = {};
  Seconds grace{5};              // between asking a process to stop and killing it
  Seconds interrupted_grace{5};  // the same after an interrupt by the user
};

struct OutputLine {
  size_t command;  // its index in the plan
  Seconds time;    // since the start
  const std::string& text;
  bool whole;  // false: cut or unterminated, so that digits may be missing
  bool from_stderr = false;
};

// A message to the stdin of a command that listens.
struct StdinMessage {
  size_t command;
  std::string text;
};

enum class Next { Continue, Stop };

struct RunWatch {
  // Returns Stop when the plan has reached its goal. Lines that processes write while they are
  // being ended are passed too; the return value is ignored then.
  std::function<Next(const OutputLine&)> line = {};
  // Called a few times a second, also while processes are being ended. Stop: interrupted. If it
  // throws Error while they are, nobody waits for the run: commands with a stop signal get SIGTERM
  // and `grace`, the others are killed.
  std::function<Next()> poll = {};
  std::function<std::vector<StdinMessage>()> messages = {};  // called often
  // Whether a line can be taken now. Until then the output of the processes waits.
  std::function<bool()> takes_lines = {};
  std::string log_directory = {};  // for logs, one file per command; empty: no logs
  std::string legacy = {};         // directory to remove if this process is killed
  // Stopped by a signal for longer, this process is killed, and its processes are ended.
  std::optional<Seconds> longest_stop = {};
};

enum class RunEnd { Completed, Stopped, Interrupted, TimedOut, Silent, Failed };

struct CommandOutcome {
  std::optional<ExitStatus> status;     // absent: never started
  bool ended_by_us = false;             // it was still running when the plan ended
  int64_t lines = 0;                    // number of lines written
  std::vector<std::string> last_lines;  // at most kLastLines
};

struct PlanOutcome {
  static constexpr size_t kLastLines = 20;

  RunEnd end = RunEnd::Completed;
  std::string why;     // for people; empty if Completed
  size_t culprit = 0;  // if Failed: the command that failed first
  Seconds duration{};
  std::vector<CommandOutcome> commands;  // in the order of the plan
};

bool succeeded(const ExitStatus& status, const Command& command);

PlanOutcome run_commands(std::span<const Command> plan, const RunLimits& limits,
                         const RunWatch& watch);

}  // namespace lockstep
