#include "engine/torch/product_speed.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "base/time.h"
#include "engine/torch/device.h"
#include "engine/torch/loaded_library.h"
#include "engine/torch/torch_dtype.h"

namespace lockstep {
namespace {

// Larger matrices keep a device busier. A size is large enough when its products take so long that
// their start does not count.
constexpr int64_t kSmallest = 256, kLargest = 8192;
constexpr Seconds kLongEnough{0.02};
constexpr int kProducts = 4, kRepetitions = 3;

// Of several products, one after the other.
Seconds time_of_products(at::Device device, const at::Tensor& a, const at::Tensor& b,
                         at::Tensor& out) {
  at::mm_out(out, a, b);
  libtorch::wait_until_idle(device);
  const TimePoint begin = Clock::now();
  for (int i = 0; i < kProducts; ++i) at::mm_out(out, a, b);
  libtorch::wait_until_idle(device);
  return seconds_since(begin);
}

// The shortest time of several products of that size; absent: the network left too little memory.
std::optional<Seconds> shortest_time(int64_t size, const at::TensorOptions& options) {
  try {
    const at::Tensor a = at::full({size, size}, 0.5, options), b = at::full_like(a, 0.25);
    at::Tensor out = at::empty_like(a);
    Seconds shortest = Seconds::max();
    for (int i = 0; i < kRepetitions; ++i) {
      shortest = std::min(shortest, time_of_products(options.device(), a, b, out));
    }
    return shortest;
  } catch (const c10::OutOfMemoryError&) {
    return {};
  }
}

}  // namespace

double torch_product_gflops(const std::string& name, Dtype dtype) {
  libtorch::require_built_version();
  const at::Device device = libtorch::find_device(name);
  libtorch::make_current(device);
  libtorch::use_dtype(dtype, device);
  double best = 0;
  for (int64_t size = kSmallest; size <= kLargest; size *= 2) {
    const std::optional<Seconds> time =
        shortest_time(size, at::TensorOptions(device).dtype(libtorch::type_of(dtype)));
    if (!time) break;
    const double operations = 2.0 * kProducts * static_cast<double>(size * size * size);
    best = std::max(best, operations / time->count() / 1e9);
    if (*time > kLongEnough) break;
  }
  return best;
}

}  // namespace lockstep
