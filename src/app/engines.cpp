#include "app/engines.h"

#include <fmt/ranges.h>

#include <vector>

#include "base/error.h"

namespace lockstep {

const EngineKind& find_engine(std::span<const EngineKind> engines, std::string_view name) {
  std::vector<std::string_view> names;
  for (const EngineKind& engine : engines) {
    if (engine.name == name) return engine;
    names.push_back(engine.name);
  }
  throw UsageError("--engine must be one of {}, not '{}'", fmt::join(names, ", "), name);
}

}  // namespace lockstep
