// run_commands.h: runs any plan: starts its processes, passes on their lines, and ends them all.
//
// It returns when every worker has ended, when something failed, when time is up, or when it is
// asked to stop; and never before every process of every group is gone. Memory stays bounded
// whatever is written. Should this process be killed, a guard ends the others.
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

// An interrupted run ends with the step that it is in, and those may be long.
inline constexpr Seconds kLongSteps{300};

struct RunLimits {
  Seconds time{3600};                   // for the whole plan
  std::optional<Seconds> silence = {};  // longest time in which no process writes anything
  Seconds grace{5};                     // between asking a process to end and killing it
  Seconds interrupted_grace{5};         // the same, when the user asked
};

struct OutputLine {
  size_t command;  // its place in the plan
  Seconds time;    // since the start
  const std::string& text;
  bool whole;  // false: it was cut or never ended, and its numbers may lack digits
  bool from_stderr = false;
};

// Something to tell a command that listens.
struct StdinMessage {
  size_t command;
  std::string text;
};

enum class Next { GoOn, Stop };

struct RunWatch {
  // Stop: the plan has done what it was for. What processes say while they are ended for another
  // reason comes too, but changes nothing any more.
  std::function<Next(const OutputLine&)> line = {};
  // A few times a second, also while processes are ended; Stop: interrupted. When it throws Error,
  // nobody wants the run any more, and processes have no time left but to end what they started.
  std::function<Next()> poll = {};
  std::function<std::vector<StdinMessage>()> messages = {};  // asked often
  // Whether a line can be taken now; until it can, processes wait with what they say.
  std::function<bool()> takes_lines = {};
  std::string log_directory = {};  // keeps all output, one file per command; empty: none
  std::string legacy = {};         // a directory that is removed if this process is killed
};

enum class RunEnd { Completed, Stopped, Interrupted, TimedOut, Silent, Failed };

struct CommandOutcome {
  std::optional<ExitStatus> status;     // absent: never started
  bool ended_by_us = false;             // it still ran when the plan ended
  int64_t lines = 0;                    // that it wrote
  std::vector<std::string> last_lines;  // the last kLastLines of them
};

struct PlanOutcome {
  static constexpr size_t kLastLines = 20;

  RunEnd end = RunEnd::Completed;
  std::string why;     // in words, of all but Completed
  size_t culprit = 0;  // of Failed: the command that failed first
  Seconds duration{};
  std::vector<CommandOutcome> commands;  // as in the plan
};

bool succeeded(const ExitStatus& status, const Command& command);

PlanOutcome run_commands(std::span<const Command> plan, const RunLimits& limits,
                         const RunWatch& watch);

}  // namespace lockstep
