#include "sweep/fitting_batch.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "config/run_options.h"
#include "run/memory_check.h"

namespace lockstep {
namespace {

// A run on one device with the options of the sweep.
RunConfig run_on_one_device(const SweepOptions& options, const RunContext& context,
                            const Model& model) {
  RunConfig run;
  run.engine = context.engines.front().name;
  for (const auto& [name, values] : options.lists) {
    const RunOption* option = find_option(name);  // --models is none
    const bool elsewhere = !option || option->details.launches || option->name == "worker-hosts" ||
                           option->name == "ps-hosts" || option->name == "variable-update";
    if (!elsewhere && !values.empty()) set_from_text(run, *option, values.front());
  }
  if (program_elsewhere(context.engines, run.engine)) run.engine = context.engines.front().name;
  run.model = model.name;
  run.batch_size = model.default_batch_size;
  run.num_devices = 1;
  return run;
}

}  // namespace

FittingBatch fitting_batch(const SweepOptions& options, const RunContext& context,
                           const Model& model, int64_t available_bytes) {
  const int usual = model.default_batch_size;
  try {
    RunPlan plan = plan_run(run_on_one_device(options, context, model), context.engines, 1);
    assign_worker(plan, {});
    const int batch = halved_fitting_batch(plan, available_bytes);
    if (batch == usual) return {batch};
    if (batch == 0) return {};
    return {batch, fmt::format("{}: batch size {}, because its default, {}, does not fit into {} "
                               "per process; change it with --models {}:N",
                               model.name, batch, usual, bytes_text(available_bytes), model.name)};
  } catch (const UsageError&) {  // the plan of the sweep reports it
    return {};
  }
}

}  // namespace lockstep
