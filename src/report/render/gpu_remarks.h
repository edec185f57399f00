// gpu_remarks.h: what the GPUs of a run say about its numbers.
#pragma once

#include <string>
#include <vector>

#include "measure/gpu_watch.h"

namespace lockstep {

// For stdout: the GPUs by model, clocks, and the energy of the timed steps. Empty: none is known.
std::vector<std::string> gpu_lines(const std::vector<GpuRecord>& gpus, double images);

// For stderr: GPUs that were throttled during the timed steps or lost data, and different models.
std::vector<std::string> gpu_notes(const std::vector<GpuRecord>& gpus);

}  // namespace lockstep
