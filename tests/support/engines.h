// engines.h: the engines that the suites run on. To add one, add a row in engines.cpp.
#pragma once

#include <ostream>
#include <span>
#include <string_view>

#include "engine/reference/replica.h"

namespace lockstep {

struct EngineRow {
  std::string_view name;
  MakeEngine make;
};

// How GoogleTest shows one.
inline void PrintTo(const EngineRow& row, std::ostream* out) { *out << row.name; }

std::span<const EngineRow> all_engines();
// Those that users train with: fast enough for whole models, and quiet inside a step.
std::span<const EngineRow> production_engines();

inline Replica make_replica(const EngineRow& row, const Graph& graph,
                            const EngineOptions& options) {
  return Replica(graph, row.make(graph, options));
}

}  // namespace lockstep
