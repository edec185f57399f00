// memory_estimate.cpp: an estimate only. LibTorch allocates while it runs, and how much its
// convolutions take for copies in other layouts is theirs to decide.
#include "engine/torch/memory_estimate.h"

#include <algorithm>

#include "engine/torch/layers.h"
#include "nn/cost.h"

namespace lockstep::libtorch {
namespace {

// At the widest layer: its input, output and their gradients or reordered copies.
constexpr int64_t kTensorsOfTheWidestLayer = 4;

bool takes_memory(const Graph& graph, NodeId id) {
  return !std::holds_alternative<Relu>(graph.node(id).layer) || !may_overwrite_input(graph, id);
}

}  // namespace

int64_t estimated_bytes(const Graph& graph, const EngineOptions& options) {
  const int64_t parameters = cost_of(graph).parameters * static_cast<int64_t>(sizeof(float));
  if (options.device != "cpu") return parameters;  // pinned gradients
  int64_t kept = 0, widest = 0;
  for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
    const int64_t bytes = activation_bytes(graph, id) * options.batch;
    if (takes_memory(graph, id)) kept += bytes;
    widest = std::max(widest, bytes);
  }
  const int64_t passing = kTensorsOfTheWidestLayer * widest + parameters;
  return options.mode == Mode::Training ? kept + passing : passing;
}

}  // namespace lockstep::libtorch
