#include "app/device_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "app/other_program.h"
#include "base/error.h"
#include "base/text.h"
#include "measure/gpu_presence.h"
#include "run/complete_config.h"
#include "run/rank/rank_identity.h"
#include "run/run_input.h"

namespace lockstep {
namespace {

// Of those that have more than CPUs and f32; null: none is built.
const EngineKind* accelerator_engine(const RunContext& context) {
  for (const EngineKind& engine : context.engines) {
    if (engine.only_cpu || (engine.elsewhere && !is_built(*engine.elsewhere, context))) continue;
    return &engine;
  }
  return nullptr;
}

// How to get such an engine.
std::string remedy(const RunContext& context) {
  for (const EngineKind& engine : context.engines) {
    if (engine.elsewhere) return remedy_for(*engine.elsewhere, context);
  }
  return "this program has none";
}

// plan_run reports what to do when there is none.
void choose_engine(RunConfig& config, const RunContext& context) {
  const bool any_does = config.device == "cpu" && config.dtype != "bf16";
  if (any_does || has_framework(config)) return;
  if (!find_engine(context.engines, config.engine).only_cpu) return;
  if (const EngineKind* const engine = accelerator_engine(context)) config.engine = engine->name;
}

// Started by a launcher on another host, which has left the name to the workers here.
bool is_rank_of_launcher(const RunConfig& config, const RunContext& context) {
  return find_identity(config, context.environment).rendezvous == Rendezvous::Store;
}

// `gpu` is the default of tf_cnn_benchmarks, and part of many command lines: where there is none,
// the CPU takes its place. Whoever writes `cuda` gets an error. Returns the note, or nothing.
std::string any_gpu(RunConfig& config, const RunContext& context, bool engine_given) {
  const bool elsewhere =
      is_rank_of_launcher(config, context) || runs_elsewhere(config, context.environment);
  const std::optional<std::string> here = elsewhere ? std::nullopt : gpu_here(context);
  const bool no_gpu = !elsewhere && !here;
  if (!no_gpu && !engine_given) choose_engine(config, context);
  const bool computes =
      has_framework(config) || !find_engine(context.engines, config.engine).only_cpu;
  if (!no_gpu && computes) {
    if (here && !has_framework(config)) config.device = *here;
    return "";
  }
  config.device = "cpu";
  return fmt::format(
      "--device gpu: {}; training on the CPU",
      no_gpu ? "this host has no GPU" : "requires --engine torch (" + remedy(context) + ")");
}

// Without --device. Most hosts have no GPU: then nothing is loaded, and nothing said.
std::string automatic_device(RunConfig& config, const RunContext& context, bool engine_given) {
  const GpuPresence gpus = gpus_present();
  const bool elsewhere = runs_elsewhere(config, context.environment);
  if (has_framework(config) || gpus.count == 0) return "";
  if (elsewhere && !gpus.graphics_perhaps) {
    return "--device auto: the CPU on other hosts; --device gpu trains on their GPUs";
  }
  // Nobody is told to build an engine, or given one, for the graphics of a desktop's processor.
  const bool asks = find_engine(context.engines, config.engine).accelerators != nullptr;
  if (gpus.graphics_perhaps && (elsewhere || !asks)) return "";
  if (!engine_given) {
    const EngineKind* const engine = accelerator_engine(context);
    if (!engine) {
      return fmt::format(
          "{} found, but the accelerator engine is missing ({}); training on the CPU", gpus.text(),
          remedy(context));
    }
    config.engine = engine->name;
  }
  const EngineKind& engine = find_engine(context.engines, config.engine);
  if (!engine.accelerators) return "";  // its program decides, or it has none
  const std::optional<Accelerators> found = engine.accelerators();
  if (!found) {
    if (gpus.graphics_perhaps) return "";
    return fmt::format(
        "{} found, but LibTorch sees none of them; training on the CPU with --engine {}",
        gpus.text(), config.engine);
  }
  config.device = found->name;
  return fmt::format("--device auto: {}, {} found", found->name, gpus.text());
}

}  // namespace

void hear_device(std::vector<Flag>& flags, DeviceWish& wish) {
  const auto device = std::ranges::find(flags, "device", &Flag::name);
  device->value_name = "auto|" + device->value_name;
  device->default_text = "auto";
  device->set = [&wish, set = std::move(device->set)](const std::string& text) {
    set(text);
    const std::string word = lower_case(text);
    wish = word == "auto" ? DeviceWish::Auto
                          : (word == "gpu" ? DeviceWish::AnyGpu : DeviceWish::Given);
  };
}

void hear_dtype(std::vector<Flag>& flags) {
  const auto precision = std::ranges::find(flags, "precision", &Flag::name);
  const auto set_dtype = std::ranges::find(flags, "dtype", &Flag::name)->set;
  precision->set = [set_dtype, set = std::move(precision->set)](const std::string& text) {
    const bool is_name = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front()));
    is_name ? set_dtype(text) : set(text);
  };
}

std::string resolve_device(RunConfig& config, const RunContext& context, DeviceWish wish,
                           bool engine_given) {
  name_gpu_of_others(config);
  if (!config.program.empty()) return "";
  std::string note;
  if (wish == DeviceWish::AnyGpu) note = any_gpu(config, context, engine_given);
  if (wish == DeviceWish::Auto) note = automatic_device(config, context, engine_given);
  if (!engine_given) choose_engine(config, context);
  return note;
}

// An engine of this program tells. One of another program is asked when that takes over; until then
// the files of drivers do.
std::optional<std::string> gpu_here(const RunContext& context) {
  for (const EngineKind& engine : context.engines) {
    if (!engine.accelerators) continue;
    const std::optional<Accelerators> found = engine.accelerators();
    return found ? std::optional(found->name) : std::nullopt;
  }
  const GpuPresence found = gpus_present();
  return found.count > 0 ? std::optional(found.device) : std::nullopt;
}

std::string gpu_engine(const std::string& device, const RunContext& context) {
  if (const EngineKind* const engine = accelerator_engine(context)) {
    return std::string(engine->name);
  }
  throw UsageError("--device {}: requires --engine torch; {}", device, remedy(context));
}

}  // namespace lockstep
