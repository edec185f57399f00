// replicated.h: an engine and its arena, as the input of a strategy.
#pragma once

#include "engine/engine.h"
#include "sync/strategy.h"

namespace lockstep {

// Borrows both.
Replicated replicated_of(Engine& engine, ParameterArena& arena, const OptimizerSettings& optimizer);

}  // namespace lockstep
