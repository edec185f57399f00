#include "train/first_values.h"

#include "nn/initial_values.h"
#include "nn/parameters.h"

namespace lockstep {

ParameterArena make_arena(const Engine& engine, const AllocateMemory& gradients) {
  std::vector<int64_t> stored_floats;
  for (const ParameterInfo& parameter : engine.parameters()) {
    stored_floats.push_back(parameter.stored_floats);
  }
  return ParameterArena(stored_floats, engine.backward_order(), gradients);
}

void start_from_first_values(const Graph& graph, uint64_t seed, Engine& engine,
                             ParameterArena& arena) {
  engine.bind(arena);
  write_first_values(graph, seed, engine, arena);
}

void write_first_values(const Graph& graph, uint64_t seed, Engine& engine, ParameterArena& arena) {
  std::vector<float> plain;
  for (ParameterId id = 0; const ParameterSpec& parameter : parameters_of(graph)) {
    plain.resize(static_cast<size_t>(parameter.shape.elements()));
    fill_initial_values(graph, parameter, seed, plain);
    engine.write_plain(id, plain, arena.values(id));
    engine.values_changed(id);
    ++id;
  }
}

}  // namespace lockstep
