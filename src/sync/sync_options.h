// sync_options.h: the knobs of all strategies. Each reads those that concern it.
#pragma once

#include <cstdint>

namespace lockstep {

struct SyncOptions {
  bool mean = true;  // over the replicas; false: the sum of their gradients

  int64_t bucket_bytes = 8 << 20;  // of gradients that are communicated together
  bool overlap = true;             // false: communication begins when backward has ended
  int repacking = 0;               // all gradients in so many equal packs, after backward; 0: no
  int64_t small_bytes =
      0;                 // a message per gradient, but neighbours up to this size share one; 0: no
  int small_group = 10;  // at most so many of them

  bool relaxed = false;             // all-reduce: apply the gradients of the step before
  bool staged = false;              // servers: read values that are one step old
  bool synchronous = true;          // false: a server applies each worker's gradient by itself
  bool sharded = false;             // large variables are spread over all servers
  int64_t sharded_bytes = 1 << 20;  // those of at least this size
};

}  // namespace lockstep
