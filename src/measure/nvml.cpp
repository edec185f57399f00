#include "measure/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "measure/nvml_table.h"

namespace lockstep {
namespace {

using nvml::Device;
using nvml::Functions;
using nvml::LongNumber;
using nvml::Number;

using Library = std::unique_ptr<void, int (*)(void*)>;

Functions functions_of(void* library) {
  Functions table;
  nvml::for_each_function(table, [&]<typename Function>(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
  });
  if (!table.throttle_reasons) {
    table.throttle_reasons = reinterpret_cast<decltype(table.throttle_reasons)>(
        dlsym(library, nvml::kThrottleReasonsToo));
  }
  return table;
}

// What a function writes to its last argument; absent: the library or the GPU does not know it.
template <typename Value, typename... Arguments, typename... Given>
std::optional<Value> asked(int (*function)(Arguments...), Given... given) {
  Value value = {};
  if (!function || function(given..., &value) != nvml::kSuccess) return {};
  return value;
}

template <typename... Arguments, typename... Given>
std::string asked_text(int (*function)(Arguments...), Given... given) {
  char text[nvml::kTextSize] = {};
  if (!function || function(given..., text, nvml::kTextSize) != nvml::kSuccess) return "";
  return text;
}

template <typename To, typename From>
std::optional<To> as(const std::optional<From>& value, double unit = 1) {
  return value ? std::optional(static_cast<To>(static_cast<double>(*value) * unit)) : std::nullopt;
}

class NvmlGpus final : public GpuLibrary {
 public:
  NvmlGpus(Library library, const Functions& functions)
      : library_(std::move(library)), nvml_(functions) {
    const int count = static_cast<int>(asked<Number>(nvml_.device_count).value_or(0));
    for (int i = 0; i < count; ++i) {
      const auto device = asked<Device>(nvml_.device_by_index, static_cast<Number>(i));
      if (device) devices_.push_back(*device);  // else it is lost, or a container hides it
    }
  }
  ~NvmlGpus() override { nvml_.shutdown(); }
  NvmlGpus(const NvmlGpus&) = delete;
  NvmlGpus& operator=(const NvmlGpus&) = delete;

  int count() override { return static_cast<int>(devices_.size()); }

  GpuInfo info(int gpu) override {
    const Device device = at(gpu);
    GpuInfo info = {
        .name = asked_text(nvml_.name, device),
        .uuid = asked_text(nvml_.uuid, device),
        .pci_address = {},
        .driver = asked_text(nvml_.driver_version),
        .memory_bytes = {},
        .max_clock_mhz = as<int>(asked<Number>(nvml_.max_clock, device, nvml::kSmClock)),
        .power_limit_watts = as<double>(asked<Number>(nvml_.power_limit, device), 1e-3),
        .ecc_errors = as<int64_t>(asked<LongNumber>(nvml_.ecc_errors, device, nvml::kUncorrected,
                                                    nvml::kSinceDriverLoad))};
    if (const auto pci = asked<nvml::PciInfo>(nvml_.pci_info, device)) {
      info.pci_address = fmt::format("{:04x}:{:02x}:{:02x}.0", pci->domain, pci->bus, pci->device);
    }
    int major = 0, minor = 0;
    const auto capability = nvml_.compute_capability;
    if (capability && capability(device, &major, &minor) == nvml::kSuccess) {
      info.compute_capability = 10 * major + minor;
    }
    if (const auto memory = asked<nvml::MemoryInfo>(nvml_.memory_info, device)) {
      info.memory_bytes = static_cast<int64_t>(memory->total);
    }
    return info;
  }

  GpuState state(int gpu) override {
    const Device device = at(gpu);
    GpuState state = {
        .clock_mhz = as<int>(asked<Number>(nvml_.clock, device, nvml::kSmClock)),
        .memory_clock_mhz = as<int>(asked<Number>(nvml_.clock, device, nvml::kMemoryClock)),
        .energy_joules = as<double>(asked<LongNumber>(nvml_.total_energy, device), 1e-3)};
    const LongNumber reasons = asked<LongNumber>(nvml_.throttle_reasons, device).value_or(0);
    for (const nvml::ThrottleReason& reason : nvml::kThrottleReasons) {
      if (reasons & reason.bit) state.throttled.emplace_back(reason.what);
    }
    return state;
  }

  std::optional<bool> peers(int gpu, int other) override {
    const auto status = asked<int>(nvml_.peer_status, at(gpu), at(other), nvml::kPeerRead);
    return status ? std::optional(*status == nvml::kPeerOk) : std::nullopt;
  }

 private:
  Device at(int gpu) const { return devices_.at(static_cast<size_t>(gpu)); }

  Library library_;
  Functions nvml_;
  std::vector<Device> devices_;
};

}  // namespace

std::unique_ptr<GpuLibrary> open_nvml(const char* library) {
  Library handle(dlopen(library, RTLD_NOW | RTLD_LOCAL), dlclose);
  if (!handle) return nullptr;
  const Functions functions = functions_of(handle.get());
  const bool enough =
      functions.init && functions.shutdown && functions.device_count && functions.device_by_index;
  if (!enough || functions.init() != nvml::kSuccess) return nullptr;
  return std::make_unique<NvmlGpus>(std::move(handle), functions);
}

}  // namespace lockstep
