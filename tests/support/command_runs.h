// command_runs.h: whole commands in this process, on the reference engine.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "app/program.h"
#include "support/reference_kind.h"

namespace lockstep {

struct Outcome {
  int code;
  std::string out, err;
};

inline Outcome run(const std::vector<std::string>& words) {
  const EngineKind engines[] = {reference_kind()};
  std::ostringstream out, err;
  RunContext context = {{.out = out, .err = err, .program = "/proc/self/exe"}, engines};
  const int code = run_program(context, words);
  return {code, out.str(), err.str()};
}

}  // namespace lockstep
