// run_context.h: the context of a process that can train: the outside world and its engines.
#pragma once

#include <span>

#include "run/engines.h"
#include "base/context.h"

namespace lockstep {

struct RunContext : Context {
  std::span<const EngineKind> engines;  // the first is the default
};

}  // namespace lockstep
