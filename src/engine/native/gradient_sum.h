// gradient_sum.h: the gradient of a value as one dense tensor.
//
// A value that several operations read gets a gradient from each; a slice of a concatenation gets
// parts of larger tensors. This adds them up, masks them with the ReLU that was fused into the
// value, and does nothing at all when one dense gradient can be used as it is.
#pragma once

#include <vector>

#include "engine/native/kernels.h"
#include "engine/native/op.h"

namespace lockstep::native {

// Rows of gradients that are added up into one of them (which stands first), or into another row;
// masked by the last addition. `row(k)`: where source k starts.
template <typename RowOf>
void add_rows(int64_t floats, size_t sources, const RowOf& row, const float* passed, Bounds bounds,
              float* out) {
  for (size_t k = 1; k + 1 < sources; ++k) {
    sum_gradients(floats, k == 1 ? row(0) : out, row(k), nullptr, bounds, out);
  }
  const float* last = sources > 1 ? row(sources - 1) : nullptr;
  sum_gradients(floats, sources > 2 ? out : row(0), last, passed, bounds, out);
}

constexpr Bounds kUnbounded{-__builtin_inff(), __builtin_inff()};
inline bool is_bounded(Bounds bounds) { return bounds.low == 0; }

class GradientSum {
 public:
  // Takes the value's gradients at this tick. `bounds`: of the clamp that made the value.
  void plan(Planner& planner, Value& value, Bounds bounds);
  const View& view() const { return sum_; }  // dense, planned
  void bind(const Addresses& addresses);
  float* data() const { return out_; }
  void run() const;

 private:
  std::vector<View> views_;
  View sum_, value_;
  Bounds bounds_ = kUnbounded;
  int64_t floats_per_image_ = 0;
  int batch_ = 0;
  std::vector<const float*> sources_;
  const float* passed_ = nullptr;
  float* out_ = nullptr;
};

}  // namespace lockstep::native
