// device_choice.h: resolves --device auto and --device gpu, and finds the engine for a device.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/options.h"
#include "config/run_config.h"
#include "run/run_context.h"

namespace lockstep {

// What a command line says about the device.
enum class DeviceWish {
  Auto,    // nothing, or auto: GPUs if this host and this build have them
  AnyGpu,  // gpu
  Given,
};

// The flag --device sets `wish`, too, which it borrows.
void hear_device(std::vector<Flag>& flags, DeviceWish& wish);

// --precision names a number format in other programs: then it means --dtype.
void hear_dtype(std::vector<Flag>& flags);

// Sets config.device and, unless it was given, config.engine. Returns a note for the user, or
// nothing.
std::string resolve_device(RunConfig& config, const RunContext& context, DeviceWish wish,
                           bool engine_given);

// What `gpu` means on this host: its name for --device. Nothing: it has none.
std::optional<std::string> gpu_here(const RunContext& context);

// The name of the engine that computes on this device. Throws UsageError when it is not built.
std::string gpu_engine(const std::string& device, const RunContext& context);

}  // namespace lockstep
