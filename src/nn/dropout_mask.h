// dropout_mask.h: which values a dropout layer keeps: one rule, so that every engine drops the
// same ones for a seed, whatever its layout and threads.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "nn/graph.h"

namespace lockstep {

// The random stream of a dropout layer in one step; steps count forward calls from 0. Use as
// RandomStream(seed, dropout_stream(node, step)).
inline uint64_t dropout_stream(NodeId node, int64_t step) {
  return (static_cast<uint64_t>(node) << 40) + static_cast<uint64_t>(step);
}

// `element`: position in the batch in plain order: image, channel, row, column.
inline bool keeps(const RandomStream& random, uint64_t element, double keep) {
  return random.uniform(element) < keep;
}

}  // namespace lockstep
