// run_context.h: the context of a process that can train: streams, environment, engines.
#pragma once

#include <span>

#include "base/context.h"
#include "run/engines.h"

namespace lockstep {

struct RunContext : Context {
  std::span<const EngineKind> engines;  // the first is the default
};

}  // namespace lockstep
