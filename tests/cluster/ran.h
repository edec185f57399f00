// ran.h: a command run to its end, and what it said.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "process/run_commands.h"

namespace lockstep {

struct Ran {
  PlanOutcome outcome;
  std::string out, err;

  int exit_code() const;  // -1: by a signal
};

// `when_it_trains` is called at the first line with a speed; that there is one is expected.
Ran run_to_its_end(const std::vector<std::string>& argv,
                   const std::function<void()>& when_it_trains = {});

// The command that starts a daemon and ends when it is ready, which is when its pid file is there.
std::vector<std::string> started_daemon(const std::string& pid_file,
                                        const std::vector<std::string>& argv);

}  // namespace lockstep
