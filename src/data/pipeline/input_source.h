// input_source.h: interface of the input: the examples of each step.
#pragma once

#include <string>

#include "base/time.h"
#include "data/formats/damage.h"
#include "tensor/batch.h"

namespace lockstep {

// CPU time that input threads have used so far.
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
  virtual InputCost cost() const { return {}; }   // zero if all is prepared in advance
  virtual Skipped skipped() const { return {}; }  // damaged data skipped so far
  // Description of the stored data, equal on all ranks with the same data. Empty: synthetic.
  virtual std::string contents() const { return ""; }
};

}  // namespace lockstep
