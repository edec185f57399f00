#include "config/independent_twin.h"

namespace lockstep {
namespace {

constexpr const char* kIndependent = "independent";

}  // namespace

RunConfig independent_twin(const RunConfig& run) {
  const RunConfig defaults;
  RunConfig twin = run;
  twin.variable_update = kIndependent;
  twin.gradient_op = defaults.gradient_op;
  twin.bucket_mb = defaults.bucket_mb;
  twin.overlap = defaults.overlap;
  twin.gradient_repacking = defaults.gradient_repacking;
  twin.agg_small_grads_max_bytes = defaults.agg_small_grads_max_bytes;
  twin.agg_small_grads_max_group = defaults.agg_small_grads_max_group;
  twin.variable_consistency = defaults.variable_consistency;
  twin.cross_replica_sync = defaults.cross_replica_sync;
  twin.staged_vars = defaults.staged_vars;
  twin.num_ps = defaults.num_ps;
  twin.ps_placement = defaults.ps_placement;
  twin.ps_in_worker = defaults.ps_in_worker;
  twin.ps_per_node = defaults.ps_per_node;
  twin.efficiency = defaults.efficiency;
  twin.all_reduce_spec = defaults.all_reduce_spec;
  twin.gradient_compression = defaults.gradient_compression;
  return twin;
}

bool has_independent_twin(const RunConfig& run, int devices) {
  return devices > 1 && run.variable_update != kIndependent && run.program.empty() &&
         !has_framework(run) && run.worker_hosts.empty() && !run.forward_only;
}

}  // namespace lockstep
