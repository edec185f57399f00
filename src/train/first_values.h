// first_values.h: the arena of an engine, filled with the values that training starts from.
#pragma once

#include "engine/engine.h"

namespace lockstep {

// `gradients`: where they come to live, so that a communicator can reduce them in place.
ParameterArena make_arena(const Engine& engine, const AllocateMemory& gradients = plain_memory);

// Into the arena that the engine is bound to.
void write_first_values(const Graph& graph, uint64_t seed, Engine& engine, ParameterArena& arena);

// Binds the engine to the arena, writes the network's initial values into it and notifies the
// engine.
void start_from_first_values(const Graph& graph, uint64_t seed, Engine& engine,
                             ParameterArena& arena);

}  // namespace lockstep
