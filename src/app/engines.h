// engines.h: the table of what can run a network.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/engine.h"

namespace lockstep {

struct EngineKind {
  std::string_view name;
  // The engine allocates little before it is bound, but knows its memory_bytes().
  std::unique_ptr<Engine> (*make)(const Graph& graph, const EngineOptions& options);
  std::map<std::string, std::string> (*libraries)();
  // f32 multiply-adds that this machine does on so many threads; absent: not known.
  std::optional<double> (*peak_gflops)(int threads);
};

// Throws UsageError with the names there are.
const EngineKind& find_engine(std::span<const EngineKind> engines, std::string_view name);

}  // namespace lockstep
