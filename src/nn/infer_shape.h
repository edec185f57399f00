// infer_shape.h: the shape that a layer makes of its inputs, and its pads.
#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "nn/layers.h"
#include "tensor/shape.h"

namespace lockstep {

struct Inferred {
  Shape output;
  Pads pads;
};

// A layer does not fit its inputs. what() names the layer; `why` is the rest of it, for those who
// name it in another way.
class MisfitError : public Error {
 public:
  MisfitError(const std::string& layer, const std::string& reason)
      : Error("layer {} does not fit its input: {}", layer, reason), why(reason) {}

  std::string why;
};

// Throws MisfitError.
Inferred infer_shape(const std::string& name, const Layer& layer, std::span<const Shape> inputs);

}  // namespace lockstep
