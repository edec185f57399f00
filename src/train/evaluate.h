// evaluate.h: counts the examples that a network classifies correctly.
#pragma once

#include <functional>

#include "data/pipeline/input_source.h"
#include "engine/engine.h"

namespace lockstep {

struct Hits {
  int64_t examples = 0, top_1 = 0, top_5 = 0;
};

// So many batches through an engine in inference mode, of this rank alone. after_batch(n) is called
// after the n-th.
Hits count_hits(Engine& engine, InputSource& input, int64_t batches,
                const std::function<void(int64_t batch)>& after_batch = {});

}  // namespace lockstep
