// network_json.h: a network as JSON, exact enough to build it again, layer by layer, in any
// framework. docs/frameworks.md lists the fields.
#pragma once

#include <cstdint>

#include "config/json_fwd.h"
#include "nn/graph.h"

namespace lockstep {

// Layers in the order of computation, then variables with their initial values.
Json network_json(const Graph& graph);
Json layers_json(const Graph& graph);
Json variables_json(const Graph& graph);

}  // namespace lockstep
