// real_runs.h: the real program as a process, with all that it said.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "process/run_commands.h"

namespace lockstep {

struct Ran {
  PlanOutcome outcome;
  std::string out, err;

  int exit_code() const {  // -1: by a signal, or it never started
    const auto& status = outcome.commands.front().status;
    return status && !status->by_signal ? status->code : -1;
  }
};

// In `directory`, where several workers that fail leave their logs; empty: in this one. `poll` is
// asked now and then whether to interrupt it.
inline Ran run_really(std::vector<std::string> argv, const std::string& directory = "",
                      const std::function<Next()>& poll = {}) {
  Ran ran;
  const Command command = {.name = "it", .argv = std::move(argv), .directory = directory};
  ran.outcome =
      run_commands(std::span(&command, 1),
                   {.time = Seconds(300), .grace = Seconds(60), .interrupted_grace = Seconds(60)},
                   {.line =
                        [&](const OutputLine& line) {
                          (line.from_stderr ? ran.err : ran.out) += line.text + "\n";
                          return Next::Continue;
                        },
                    .poll = poll});
  return ran;
}

}  // namespace lockstep
