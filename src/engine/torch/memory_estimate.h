// memory_estimate.h: estimates the host memory of a step in LibTorch.
#pragma once

#include "engine/engine.h"

namespace lockstep::libtorch {

int64_t estimated_bytes(const Graph& graph, const EngineOptions& options);

}  // namespace lockstep::libtorch
