// input_source.h: where the examples of each step come from.
#pragma once

#include "base/time.h"
#include "tensor/batch.h"

namespace lockstep {

// What making the examples took so far, of threads besides the one that trains.
struct InputCost {
  int threads = 0;
  Seconds processor_time{};  // of all of them, reading included
  int64_t examples = 0;      // made in that time
  int64_t skipped = 0;       // that were damaged
};

class InputSource {
 public:
  virtual ~InputSource() = default;

  // The next step's examples, valid until the next call. May wait; allocates nothing.
  virtual const Batch& next() = 0;
  virtual InputCost cost() const { return {}; }  // nothing, where all is made beforehand
};

}  // namespace lockstep
