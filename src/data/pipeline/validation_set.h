// validation_set.h: the validation examples, each once, distributed over all ranks.
//
// All ranks have the same number of batches. The last ones are filled up with examples without a
// label (kNoLabel), which are not counted; the same holds for damaged examples that are skipped.
#pragma once

#include <memory>

#include "data/formats/damage.h"
#include "data/pipeline/make_input.h"

namespace lockstep {

class ValidationSet {
 public:
  // `spec`: as of training. `most_batches`: 0: as many as all examples take; of synthetic images
  // there is no end, so it must be given. Opens the data set: throws Error when it has no
  // validation data.
  ValidationSet(InputSpec spec, int64_t most_batches);

  int64_t batches() const { return batches_; }           // of a pass, on every rank
  int64_t examples() const;                              // 0: as many as are asked for
  std::string contents() const;                          // empty: synthetic
  Skipped skipped() const { return damage_.skipped(); }  // when it was opened
  // From the first example on. Borrows this.
  std::unique_ptr<InputSource> pass() const;

 private:
  InputSpec spec_;
  Damage damage_;                          // met while opening
  std::unique_ptr<ExampleSource> source_;  // null: synthetic
  int64_t batches_ = 0;
};

}  // namespace lockstep
