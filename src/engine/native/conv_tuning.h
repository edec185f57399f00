// conv_tuning.h: measures which method computes each convolution of a network fastest.
#pragma once

#include "engine/engine.h"

namespace lockstep {

// For every direction of every convolution that several methods fit: the fastest one. Measures what
// `known` does not tell, on the threads of `options`; some seconds for a large network. Equal work
// is measured once.
ConvChoices measure_conv_choices(const Graph& graph, const EngineOptions& options,
                                 const ConvChoices& known);

}  // namespace lockstep
