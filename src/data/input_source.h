// input_source.h: where the examples of each step come from.
#pragma once

#include "tensor/batch.h"

namespace lockstep {

class InputSource {
 public:
  virtual ~InputSource() = default;

  // The next step's examples, valid until the next call. May wait; allocates nothing.
  virtual const Batch& next() = 0;
};

}  // namespace lockstep
