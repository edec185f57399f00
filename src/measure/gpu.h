// gpu.h: the GPUs of this machine: what they are, what slows them down, the energy that they use.
//
// A vendor's management library is loaded at run time: a program that was built without it runs
// everywhere. Every fact can be absent, because drivers and boards differ in what they tell.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct GpuInfo {
  std::string name, uuid;
  std::string pci_address;  // as /sys/bus/pci/devices spells it: "0000:65:00.0"
  std::string driver;
  std::optional<int64_t> memory_bytes = {};
  std::optional<int> max_clock_mhz = {};
  std::optional<double> power_limit_watts = {};
  std::optional<int64_t> ecc_errors = {};      // uncorrected, since the driver was loaded
  std::optional<int> compute_capability = {};  // 75: NVIDIA's version 7.5
};

// What changes while a GPU works.
struct GpuState {
  std::optional<int> clock_mhz = {}, memory_clock_mhz = {};
  std::optional<double> energy_joules = {};  // since the driver was loaded
  std::vector<std::string> throttled = {};   // reasons; empty: none, or not known
};

// The management library of one vendor. Not thread safe.
class GpuLibrary {
 public:
  virtual ~GpuLibrary() = default;

  // Those that this process may use, numbered from 0 in the order of their PCI addresses.
  virtual int count() = 0;
  virtual GpuInfo info(int gpu) = 0;
  virtual GpuState state(int gpu) = 0;
  // Whether one reads the other's memory without the host; absent: not known.
  virtual std::optional<bool> peers(int gpu, int other) = 0;
};

struct GpuFamily {
  std::string_view vendor;
  const char* library;  // as the dynamic loader looks for it
  // Null: the library is not there or does not start.
  std::unique_ptr<GpuLibrary> (*open)(const char* library);
};
std::span<const GpuFamily> gpu_families();

// The first family that has a GPU here; null: there is none.
std::unique_ptr<GpuLibrary> open_gpus();

}  // namespace lockstep
