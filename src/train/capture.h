// capture.h: copies between a replica (engine layout) and a checkpoint (plain layout).
#pragma once

#include "engine/engine.h"
#include "sync/strategy.h"
#include "train/checkpoint.h"

namespace lockstep {

// Between two steps. Of `facts`, what the strategy knows is filled in.
Checkpoint capture(CheckpointFacts facts, Engine& engine, const ParameterArena& arena,
                   Strategy& strategy);

// Values and moving averages: all that evaluation needs. The engine is bound to the arena. Throws
// Error when the checkpoint is of another network.
void load(const Checkpoint& checkpoint, Engine& engine, ParameterArena& arena);
// The rest, for Strategy::carry_on(), laid out as in the engine's arena.
Carried carried_in(const Checkpoint& checkpoint, const Engine& engine, const ParameterArena& arena);

// Values and moving averages of another engine of the same network; either may have layouts of its
// own. `values`: laid out like the arena that `from` is bound to.
void copy_replica(Engine& from, const ParameterArena& from_arena, std::span<const float> values,
                  Engine& to, ParameterArena& to_arena);

}  // namespace lockstep
