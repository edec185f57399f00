#include "app/settle_run.h"

#include <algorithm>

#include "app/external.h"
#include "app/plan.h"
#include "base/error.h"
#include "nn/cost.h"

namespace lockstep {
namespace {

constexpr double kStartSeconds = 1;
constexpr double kCoreFlops = 50e9;  // what a core of the last ten years reaches in f32

// Options that have no place in a strategy would make two runs of one.
void forget_what_does_not_matter(RunConfig& run) {
  if (!find_strategy(run.variable_update).needs_servers) {
    run.num_ps.reset();
    run.ps_in_worker = false;
    run.ps_placement = RunConfig{}.ps_placement;
  }
}

}  // namespace

RunConfig settle_run(const RunConfig& wish, const Surroundings& around) {
  if (!wish.program.empty()) return settle_external(wish);
  if (!wish.job_name.empty()) {
    throw UsageError("--job-name: a sweep starts all processes of a run itself");
  }
  // Another program's engine is checked by itself; all else is the same.
  RunConfig checked = wish;
  if (program_elsewhere(around.engines, wish.engine)) {
    checked.engine = around.engines.front().name;
  }
  const RunPlan plan = plan_run(checked, around.engines, {.workers = wish.num_devices});
  RunConfig run = wish;
  run.model = plan.facts.model;
  run.batch_size = plan.facts.batch_size;
  if (!run.num_epochs) run.num_batches = plan.facts.timed_steps;
  forget_what_does_not_matter(run);
  return run;
}

double guess_seconds(const RunConfig& run, int cores) {
  if (!run.program.empty()) return 60;
  const Model& model = find_model(run.model);
  const double macs = static_cast<double>(cost_of(build(model)).forward_macs);
  const int threads = run.threads > 0 ? run.threads : std::max(1, cores / run.num_devices);
  const double used = std::min(threads * run.num_devices, cores);
  const double steps = run.num_batches.value_or(100) + run.num_warmup_batches;
  const double flops = macs * 2 * (run.forward_only ? 1 : 3) * run.batch_size * run.num_devices;
  return kStartSeconds + steps * flops / (used * kCoreFlops);
}

}  // namespace lockstep
