// input_source.h: where the examples of each step come from.
#pragma once

#include <string>

#include "base/time.h"
#include "data/formats/damage.h"
#include "tensor/batch.h"

namespace lockstep {

// What making the examples took so far, of threads besides the one that trains.
struct InputCost {
  int threads = 0;
  Seconds processor_time{};  // of all of them, reading included
  int64_t examples = 0;      // made in that time
};

class InputSource {
 public:
  virtual ~InputSource() = default;

  // The next step's examples, valid until the next call. May wait; allocates nothing.
  virtual const Batch& next() = 0;
  virtual InputCost cost() const { return {}; }   // nothing, where all is made beforehand
  virtual Skipped skipped() const { return {}; }  // so far, because it was damaged
  // Of what is stored; equal on all ranks that read the same. Empty: nothing is.
  virtual std::string contents() const { return ""; }
};

}  // namespace lockstep
