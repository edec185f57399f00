#include "train/evaluate.h"

#include <algorithm>

namespace lockstep {

Hits count_hits(Engine& engine, InputSource& input, int64_t batches,
                const std::function<void(int64_t batch)>& after_batch) {
  Hits hits;
  for (int64_t batch = 1; batch <= batches; ++batch) {
    const Batch& examples = input.next();
    const StepOutcome outcome = engine.forward(examples);
    hits.examples +=
        std::ranges::count_if(examples.labels, [](int32_t label) { return label != kNoLabel; });
    hits.top_1 += outcome.top_1_hits;
    hits.top_5 += outcome.top_5_hits;
    if (after_batch) after_batch(batch);
  }
  return hits;
}

}  // namespace lockstep
