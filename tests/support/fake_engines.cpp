// fake_engines.cpp: the table of engines of those programs that test LibTorch on the fake
// accelerator.
#include "engine/torch/torch_engine.h"
#include "support/engines.h"

namespace lockstep {
namespace {

std::unique_ptr<Engine> make_on_fake(const Graph& graph, const EngineOptions& options) {
  EngineOptions on_fake = options;
  on_fake.device = "privateuseone";
  return make_torch_engine(graph, on_fake);
}

constexpr EngineRow kEngines[] = {{"fake", make_on_fake}};

}  // namespace

std::span<const EngineRow> all_engines() { return kEngines; }
std::span<const EngineRow> production_engines() { return kEngines; }

}  // namespace lockstep
