// options.h: the knobs of all strategies. Each reads those that concern it.
#pragma once

#include <cstdint>

namespace lockstep {

struct SyncOptions {
  bool mean = true;                // over the replicas; false: the sum of their gradients
  int64_t bucket_bytes = 8 << 20;  // of gradients that are communicated together
  bool overlap = true;             // false: communication begins when backward has ended
  int repacking = 0;               // all gradients in so many equal packs; 0: buckets
  int64_t small_bytes = 0;         // gradients up to this size travel together, at the front
  bool relaxed = false;            // apply the gradients of the step before
  bool staged = false;             // read values that are one step old
  bool synchronous = true;         // false: a server applies each worker's gradient by itself
  bool sharded = false;            // large variables are spread over all servers
};

}  // namespace lockstep
