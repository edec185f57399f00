// validation_set.h: the validation examples, each once by default, distributed over all ranks.
//
// All ranks have the same number of batches. The last ones are filled up with examples without a
// label (kNoLabel), which are not counted; the same holds for damaged examples that are skipped.
#pragma once

#include <memory>

#include "data/formats/damage.h"
#include "data/pipeline/make_input.h"

namespace lockstep {

struct ValidationLength {
  int64_t most_batches = 0;        // on every rank; 0: as many as the epochs need
  double epochs = 1;               // passes over all examples
  int64_t synthetic_examples = 0;  // of an epoch without a data set
};

class ValidationSet {
 public:
  // `spec`: as in training. Opens the data set; throws Error if it has no validation data.
  ValidationSet(InputSpec spec, const ValidationLength& length);

  int64_t batches() const { return batches_; }           // of a pass, on every rank
  int64_t examples() const;                              // 0: unlimited
  std::string contents() const;                          // empty: synthetic
  Skipped skipped() const { return damage_.skipped(); }  // when it was opened
  // From the first example on. Borrows this.
  std::unique_ptr<InputSource> pass() const;

 private:
  InputSpec spec_;
  Damage damage_;                          // met while opening
  std::unique_ptr<ExampleSource> source_;  // null: synthetic
  int64_t wanted_ = 0;                     // examples of a pass, of all ranks
  int64_t batches_ = 0;
};

}  // namespace lockstep
