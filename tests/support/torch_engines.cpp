// torch_engines.cpp: the table of engines of those programs that test LibTorch.
#include "engine/torch/torch_engine.h"
#include "support/engines.h"

namespace lockstep {
namespace {

constexpr EngineRow kEngines[] = {{"torch", make_torch_engine}};

}  // namespace

std::span<const EngineRow> all_engines() { return kEngines; }
std::span<const EngineRow> production_engines() { return kEngines; }

}  // namespace lockstep
