// rank_device.h: gives every worker of a run a device, and with a GPU the cores near it.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/context.h"
#include "config/run_config.h"
#include "measure/cores.h"
#include "measure/gpu.h"

namespace lockstep {

// A GPU as one process sees it.
struct VisibleGpu {
  std::string id;  // UUID; without a management library, what the variable says
  std::optional<int> library_index = {};  // in the management library
  std::optional<int> numa_node = {};
};

// What one worker sees; the workers tell each other.
struct WorkerView {
  std::string host;
  CoreSet cores;                      // that it may use
  bool knows_gpus = false;            // else it may see any number of them
  bool identified = false;            // equal ids of two workers are the same GPU
  std::vector<VisibleGpu> gpus = {};  // in the order in which the process counts them
};

// The GPUs that CUDA_VISIBLE_DEVICES (numbers, UUIDs or the beginning of one) leaves this process,
// as Slurm and many scripts around mpirun set it. `library` may be null. Host and cores stay empty.
WorkerView visible_gpus(GpuLibrary* library, const Environment& environment);

struct RankDevice {
  std::string device;                     // for the engine: "cpu", "cuda:1"
  std::optional<int> library_index = {};  // of its GPU; absent: none, or not known
  CoreSet cores = {};                     // near its GPU; empty: nothing is known of that
};

// Of all workers, by rank. Those of a host that see the same GPUs take them in order, or as
// --gpu-indices lists them; a worker that sees a GPU alone takes it. --device cpu stays as given,
// and so does cuda:N. Throws UsageError when workers would share a GPU.
std::vector<RankDevice> rank_devices(const RunConfig& run, std::span<const WorkerView> workers,
                                     const CoreMachine& machine = {});

// The numbers of --gpu-indices; none: in order. Throws UsageError when that is no list of GPUs.
std::vector<int> gpu_indices(const RunConfig& run);

// How workers tell each other.
std::string view_text(const WorkerView& view);
WorkerView view_from_text(const std::string& text, int rank);  // throws Error

}  // namespace lockstep
