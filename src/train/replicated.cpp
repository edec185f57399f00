#include "train/replicated.h"

namespace lockstep {

Replicated replicated_of(Engine& engine, ParameterArena& arena,
                         const OptimizerSettings& optimizer) {
  std::vector<OptimizedParameter> parameters;
  std::vector<std::string> names;
  for (const ParameterInfo& info : engine.parameters()) {
    parameters.push_back({.stored_floats = info.stored_floats, .decays = info.decays});
    names.push_back(info.name);
  }
  return {.arena = arena,
          .optimizer = optimizer,
          .parameters = std::move(parameters),
          .values_changed = [&engine](ParameterId id) { engine.values_changed(id); },
          .names = std::move(names),
          .device = engine.device_parameters()};
}

}  // namespace lockstep
