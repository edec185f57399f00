// engines.h: the table of engines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "tensor/device_buffer.h"

namespace lockstep {

// Engines need libraries that not every user installs, so some are in a program of their own.
struct OtherProgram {
  std::string_view name;               // of the file, beside this program
  std::string_view built_by;           // "./run torch"
  std::string_view installed_by = "";  // the same for a bundle: how a user adds it
};

// Of copies between the host and a device.
struct CopySpeed {
  std::string what;  // "pinned memory to device"
  double bytes_per_second = 0;
};

struct EngineKind {
  std::string_view name;
  // The engine allocates little before it is bound, but knows its memory_bytes().
  std::unique_ptr<Engine> (*make)(const Graph& graph, const EngineOptions& options);
  // Their versions, and how they are used on this device.
  std::map<std::string, std::string> (*libraries)(const std::string& device);
  // Peak f32 GFLOP/s of this machine with this number of threads; absent: not known.
  std::optional<double> (*peak_gflops)(int threads);
  // GFLOP/s of large matrix products on another device or in another format; null: neither.
  double (*product_gflops)(const std::string& device, Dtype dtype) = nullptr;
  // Which method computes each convolution fastest; null: there is no choice. Measures what the
  // last argument does not tell.
  ConvChoices (*choose_convolutions)(const Graph& graph, const EngineOptions& options,
                                     const ConvChoices& known) = nullptr;
  bool only_cpu = false;  // it computes on no other --device
  // For the self-test: the vector extensions of this machine, narrowest first, and how to use no
  // wider one in a new process; null: there is no choice.
  std::vector<std::string> (*simd_targets)() = nullptr;
  void (*limit_simd)(const std::string& target) = nullptr;
  // The same: in this process equal steps yield equal bits from now on; null: they always do.
  void (*be_deterministic)() = nullptr;
  // The same: how fast data is copied to this device and back; null: it is the host's memory.
  std::vector<CopySpeed> (*copy_speeds)(const std::string& device) = nullptr;
  std::optional<Accelerators> (*accelerators)() = nullptr;  // null: only_cpu
  std::unique_ptr<DeviceBuffer> (*device_buffer)(const std::string& device,
                                                 int64_t floats) = nullptr;  // the same
  std::optional<OtherProgram> elsewhere = {};  // then this program has none of the above
};

EngineKind engine_elsewhere(std::string_view name, const OtherProgram& program);

// Of an engine that this program knows but does not have.
std::optional<OtherProgram> program_elsewhere(std::span<const EngineKind> engines,
                                              std::string_view name);

// The first that computes on this device in this format.
const EngineKind& engine_for(std::span<const EngineKind> engines, std::string_view device,
                             std::string_view dtype);

// Throws UsageError with the names there are.
const EngineKind& find_engine(std::span<const EngineKind> engines, std::string_view name);

}  // namespace lockstep
