#include "run/engines.h"

#include <fmt/ranges.h>

#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {

EngineKind engine_elsewhere(std::string_view name, const OtherProgram& program) {
  return {.name = name,
          .make = nullptr,
          .libraries = nullptr,
          .peak_gflops = nullptr,
          .elsewhere = program};
}

std::optional<OtherProgram> program_elsewhere(std::span<const EngineKind> engines,
                                              std::string_view name) {
  for (const EngineKind& engine : engines) {
    if (engine.name == name) return engine.elsewhere;
  }
  return {};
}

const EngineKind& engine_for(std::span<const EngineKind> engines, std::string_view device,
                             std::string_view dtype) {
  const bool plain = device == "cpu" && dtype != "bf16";
  for (const EngineKind& engine : engines) {
    if (plain || !engine.only_cpu) return engine;
  }
  return engines.front();
}

const EngineKind& find_engine(std::span<const EngineKind> engines, std::string_view name) {
  std::vector<std::string> names;
  for (const EngineKind& engine : engines) {
    if (engine.name == name) return engine;
    names.emplace_back(engine.name);
  }
  const std::string near = closest(name, names);
  throw UsageError("--engine must be one of {}, not '{}'{}", fmt::join(names, ", "), name,
                   near.empty() ? "" : fmt::format("; did you mean {}?", near));
}

}  // namespace lockstep
