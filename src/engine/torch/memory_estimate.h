// memory_estimate.h: about how much host memory a step takes in LibTorch.
#pragma once

#include "engine/engine.h"

namespace lockstep::libtorch {

int64_t estimated_bytes(const Graph& graph, const EngineOptions& options);

}  // namespace lockstep::libtorch
