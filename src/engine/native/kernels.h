// kernels.h: our own kernels where oneDNN is slow or does not fuse, on rows of floats.
//
// A row is the part of one image that one channel block makes: `pixels` times `block` floats, the
// channels of a pixel side by side. Per-channel arguments point to `block` floats. All kernels are
// serial, allocate nothing, and are compiled for several instruction sets; the machine's is chosen
// at run time. Pointers may be equal where one is read and one is written, never overlap otherwise.
#pragma once

#include <cstdint>

namespace lockstep::native {

struct Row {
  int64_t pixels;
  int block;
  int64_t floats() const { return pixels * block; }
};

// Values are kept in [low, high]: a ReLU is [0, inf), ReLU6 [0, 6], nothing (-inf, inf).
struct Bounds {
  float low, high;
};

// Mean, and sum of squared distances from it, of each channel of the row.
void row_moments(Row row, const float* x, float* mean, float* squares);

// y = clamp(x * scale + shift [+ residual]).
void row_normalise(Row row, const float* x, const float* scale, const float* shift,
                   const float* residual, Bounds bounds, float* y);

// For the gradient of row_normalise (without residual): which elements passed the clamp is
// recomputed from x, so y need not be kept.
struct Clamp {
  const float* scale;
  const float* shift;
  Bounds bounds;
};

// sum_g = sum of g, sum_gx = sum of g * (x - mean), g taken where the clamp let it through (null:
// everywhere).
void row_gradient_sums(Row row, const float* g, const float* x, const float* mean,
                       const Clamp* clamp, float* sum_g, float* sum_gx);

// dx = a * g + b * x + c, g as above.
void row_gradient_apply(Row row, const float* g, const float* x, const float* a, const float* b,
                        const float* c, const Clamp* clamp, float* dx);

// out = a [+ b], where `passed` (the clamped output; null: everywhere) lies inside bounds.
void sum_gradients(int64_t floats, const float* a, const float* b, const float* passed,
                   Bounds bounds, float* out);

// y = clamp(a + b); b may be null.
void add_clamped(int64_t floats, const float* a, const float* b, Bounds bounds, float* y);

// Mean of each channel of the row, and its gradient: every pixel gets g / pixels.
void row_mean(Row row, const float* x, float* mean);
void row_spread(Row row, const float* g, float factor, float* dx);

}  // namespace lockstep::native
