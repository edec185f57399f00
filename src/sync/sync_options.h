// sync_options.h: the options of all strategies; each strategy reads its own.
#pragma once

#include <cstdint>

namespace lockstep {

struct SyncOptions {
  bool mean = true;  // over the replicas; false: the sum of their gradients

  int64_t bucket_bytes = 8 << 20;  // of gradients that are communicated together
  bool overlap = true;             // false: communication begins when backward has ended
  int repacking = 0;  // number of equal packs of all gradients, sent after backward; 0: off
  int64_t small_bytes =
      0;                 // a message per gradient, but neighbours up to this size share one; 0: no
  int small_group = 10;  // largest number of them in one message

  bool relaxed = false;             // all-reduce: apply the gradients of the step before
  bool staged = false;              // servers: read values that are one step old
  bool synchronous = true;          // false: a server applies each worker's gradient by itself
  bool sharded = false;             // large variables are spread over all servers
  int64_t sharded_bytes = 1 << 20;  // those of at least this size
};

}  // namespace lockstep
