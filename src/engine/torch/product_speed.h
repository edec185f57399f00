// product_speed.h: how fast a device multiplies matrices, the reference for GFLOP/s.
#pragma once

#include <string>

#include "engine/dtype.h"

namespace lockstep {

// GFLOP/s of large matrices in this format. Throws UsageError when there is no such device.
double torch_product_gflops(const std::string& device, Dtype dtype);

}  // namespace lockstep
