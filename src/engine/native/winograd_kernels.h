// winograd_kernels.h: the serial pieces of a Winograd convolution, for one channel block or panel.
//
// A tile of 6x6 inputs (channels side by side, one block) becomes 36 values per channel, stored
// `stride` floats apart. Sums over channels (or over tiles) happen there. All kernels are compiled
// for several instruction sets.
#pragma once

#include <cstdint>

#include "engine/native/kernels.h"

namespace lockstep::native::winograd {

constexpr int kPoints = 36;
constexpr int kTilesPerGroup = 6;  // rows of the forward product; tiles are padded to whole groups

// One channel block of one image, and where a tile starts in it (may be outside: zeros there).
struct Patch {
  int height, width;
  int top, left;
  int block;
};

// Kernel side 3 (4x4 outputs per tile) or 5 (2x2).
constexpr int outputs_per_tile(int kernel) { return 7 - kernel; }

void transform_input(const Patch& patch, const float* image, float* out, int64_t stride);
void transform_output(int kernel, const Patch& patch, const float* in, int64_t stride,
                      const float* bias, Bounds bounds, float* image);
// A dY A^T of the tile's outputs.
void transform_gradient(int kernel, const Patch& patch, const float* image, float* out,
                        int64_t stride);

// `weights`: kernel x kernel taps, `tap_stride` floats apart, of `block` output channels.
// `flip`: turned by 180 degrees, for backward-data.
void transform_weights(int kernel, int block, bool flip, const float* weights, int64_t tap_stride,
                       float* out, int64_t stride);
void transform_weight_gradient(int kernel, int block, const float* in, int64_t stride,
                               float* weights, int64_t tap_stride);

// Output channels that the product kernels handle at once on this machine.
int panel();

// out[tile][panel] = sum over depth of v[tile][depth] * u[depth][panel], for kTilesPerGroup tiles.
struct Product {
  int64_t depth;
  const float* v;  // rows v_stride apart
  int64_t v_stride;
  const float* u;
  float* out;  // rows out_stride apart
  int64_t out_stride;
  const float* next;  // what will be read after this: fetched meanwhile; may be null
};
void multiply(const Product& product);

// out[row][panel] += sum over tiles of v[tile][row] * m[tile][panel], for kRowsPerGroup rows.
constexpr int kRowsPerGroup = 6;
struct Outer {
  int64_t tiles;
  const float* v;
  int64_t v_stride;
  const float* m;
  int64_t m_stride;
  float* out;  // rows out_stride apart
  int64_t out_stride;
  bool first;  // out holds nothing yet
};
void accumulate(const Outer& outer);

}  // namespace lockstep::native::winograd
