// max_pool_kernels.h: maximum pooling of one plane: the part of an image that one channel block
// makes, the channels of a pixel side by side. Serial; compiled for several instruction sets.
//
// oneDNN's own takes four times as long as reading and writing the data does.
#pragma once

#include <cstdint>

namespace lockstep::native {

struct PoolPlane {
  int64_t in_height, in_width, out_height, out_width;
  int window_height, window_width, stride, top, left;
  int block;

  int64_t in_floats() const { return in_height * in_width * block; }
  int64_t out_floats() const { return out_height * out_width * block; }
};

constexpr int kLargestMaxWindow = 256;  // elements: a place in it is one byte

// `places`: where in its window each output was found, one byte an output; null: not kept. Of equal
// ones the first counts. A NaN in a window stays.
void max_pool(const PoolPlane& plane, const float* x, float* y, uint8_t* places);
// dx gets each gradient at its place, and zero elsewhere.
void max_pool_gradient(const PoolPlane& plane, const float* g, const uint8_t* places, float* dx);

}  // namespace lockstep::native
