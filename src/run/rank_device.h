// rank_device.h: chooses the accelerator of a worker.
#pragma once

#include <string>
#include <vector>

#include "base/context.h"
#include "config/run_config.h"

namespace lockstep {

// --device cuda: the workers of a host take its GPUs in order, unless CUDA_VISIBLE_DEVICES, as
// Slurm and mpirun may set it, leaves this process just one. --device cpu and cuda:N stay as given.
// --gpu-indices lists the GPUs instead. `local_rank`: this worker's number among those of its host.
// Throws UsageError when the list has too few.
std::string rank_device(const RunConfig& run, int local_rank, const Environment& environment);

// The numbers of --gpu-indices; none: in order. Throws UsageError when that is no list of GPUs.
std::vector<int> gpu_indices(const RunConfig& run);

}  // namespace lockstep
