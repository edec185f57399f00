// infer_shape.h: the shape that a layer makes of its inputs, and its pads.
#pragma once

#include <span>
#include <string>

#include "nn/layers.h"
#include "tensor/shape.h"

namespace lockstep {

struct Inferred {
  Shape output;
  Pads pads;
};

// Throws Error, naming the layer, when it does not fit its inputs.
Inferred infer_shape(const std::string& name, const Layer& layer, std::span<const Shape> inputs);

}  // namespace lockstep
