// format_check.h: whether a GPU computes in a number format.
#pragma once

#include <optional>
#include <string>

#include "engine/dtype.h"
#include "measure/gpu.h"

namespace lockstep {

// Why it does not; empty: it does, or that is not known. LibTorch itself would compute tf32 in f32,
// and emulate bf16. `device`: of --device. `gpus` may be null. `gpu`: of the library; absent: any
// of its GPUs.
std::string format_obstacle(Dtype dtype, const std::string& device, GpuLibrary* gpus,
                            std::optional<int> gpu);

}  // namespace lockstep
