#include "run/strategy_options.h"

namespace lockstep {

SyncOptions sync_options(const RunConfig& run) {
  SyncOptions options = {.mean = run.gradient_op == "mean",
                         .overlap = run.overlap,
                         .repacking = run.gradient_repacking,
                         .small_bytes = run.agg_small_grads_max_bytes,
                         .small_group = run.agg_small_grads_max_group,
                         .relaxed = run.variable_consistency == "relaxed",
                         .staged = run.staged_vars,
                         .synchronous = run.cross_replica_sync,
                         .sharded = run.ps_placement == "sharded"};
  constexpr double kMiB = 1 << 20;
  if (run.bucket_mb) options.bucket_bytes = static_cast<int64_t>(*run.bucket_mb * kMiB);
  return options;
}

}  // namespace lockstep
