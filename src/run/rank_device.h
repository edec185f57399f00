// rank_device.h: chooses the accelerator of a worker.
#pragma once

#include <string>

#include "base/context.h"

namespace lockstep {

// --device cuda: the workers of a host take its GPUs in order, unless CUDA_VISIBLE_DEVICES, as
// Slurm and mpirun may set it, leaves this process just one. --device cpu and cuda:N stay as given.
// `local_rank`: this worker's number among those of its host.
std::string rank_device(const std::string& device, int local_rank, const Environment& environment);

}  // namespace lockstep
