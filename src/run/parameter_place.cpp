#include "run/parameter_place.h"

#include "base/error.h"
#include "comm/nccl/nccl_communicator.h"
#include "run/strategy_options.h"

namespace lockstep {
namespace {

// Why gradients cannot go from GPU to GPU; empty: they can.
std::string obstacle(const RunPlan& plan) {
  const RunConfig& run = plan.config;
  if (run.device == "cpu") return "--device cpu has no GPUs";
  const std::string& device = plan.engine_options.device;  // `gpu` has its name by now
  if (device.starts_with("xpu") || device.starts_with("mps")) {
    return "only NVIDIA and AMD GPUs have NCCL";
  }
  if (run.local_parameter_device == "cpu") {
    return "--local-parameter-device cpu keeps parameters in host memory";
  }
  if (plan.strategy->needs_servers) return "parameter servers live in host memory";
  if (sync_options(run).relaxed) return "--variable-consistency relaxed works in host memory";
  if (!run.all_reduce_spec.empty()) return "--all-reduce-spec works in host memory";
  if (run.gradient_compression != "none") return "--gradient-compression works in host memory";
  return "";
}

// A step is no graph of the GPU's when it needs the host, or NCCL: ncclCommAbort waits until no
// graph holds calls of NCCL any more, so the others could not end when one worker dies.
void check_graph(const RunPlan& plan, bool exchanges, const std::string& obstacle) {
  if (!plan.config.graph) return;
  if (!plan.engine_options.parameters_on_device) {
    throw UsageError("--graph requires parameters in GPU memory, but {}; leave it out",
                     obstacle.empty() ? "gradients do not go through NCCL" : obstacle);
  }
  if (exchanges) {
    throw UsageError(
        "--graph: {} workers exchange gradients with NCCL, which cannot be aborted while a graph "
        "holds its calls; use one worker, or --variable-update independent",
        plan.facts.devices);
  }
}

}  // namespace

void place_parameters(RunPlan& plan) {
  const RunConfig& run = plan.config;
  const std::string reason = obstacle(plan);
  // NCCL may be one that comes with the engine's libraries.
  if (run.device != "cpu" && plan.engine->accelerators) plan.engine->accelerators();
  if (run.communicator == kNccl && !reason.empty()) {
    throw UsageError("--communicator nccl: {}; leave it out", reason);
  }
  const bool exchanges = plan.strategy->communicates && plan.facts.devices > 1;
  const bool wants_nccl = run.communicator == kNccl || (run.communicator == "auto" && has_nccl());
  const bool alone = run.device != "cpu" && !exchanges && !plan.strategy->needs_servers &&
                     !sync_options(run).relaxed && run.local_parameter_device == "gpu";
  const bool together = exchanges && reason.empty() && wants_nccl;
  plan.engine_options.parameters_on_device = alone || together;
  if (together) plan.facts.communicator = kNccl;
  check_graph(plan, exchanges, reason);
  if (plan.engine_options.loss_scale.automatic && !(alone || together) && !run.forward_only) {
    throw UsageError("--fp16-enable-auto-loss-scale requires parameters in GPU memory, but {}",
                     reason.empty() ? "gradients do not go through NCCL" : reason);
  }
}

std::string place_text(const RunPlan& plan) {
  if (plan.facts.communicator == kNccl) return "GPU memory, with NCCL";
  if (plan.engine_options.parameters_on_device) return "GPU memory";
  const bool lacks_nccl = plan.config.device != "cpu" && obstacle(plan).empty() && !has_nccl();
  return lacks_nccl ? "host memory, because NCCL is not found" : "host memory";
}

}  // namespace lockstep
