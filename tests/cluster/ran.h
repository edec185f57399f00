// ran.h: a command run to its end, and what it said.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "launch/run_commands.h"

namespace lockstep {

struct Ran {
  PlanOutcome outcome;
  std::string out, err;

  int exit_code() const;  // -1: by a signal
};

// `when_it_trains` is called at the first line with a speed; that there is one is expected.
Ran run_to_its_end(const std::vector<std::string>& argv,
                   const std::function<void()>& when_it_trains = {});

}  // namespace lockstep
