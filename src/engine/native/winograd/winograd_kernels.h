// winograd_kernels.h: the serial pieces of a Winograd convolution, for one channel block or panel.
//
// A tile of inputs (channels side by side, one block) becomes one value per point and channel,
// stored `stride` floats apart. Sums over channels (or over tiles) happen there. All kernels are
// compiled for several instruction sets.
#pragma once

#include <cstdint>

#include "engine/native/kernels.h"
#include "engine/native/winograd/winograd_tiling.h"

namespace lockstep::native::winograd {

// One channel block of one image, and where a tile starts in it (may be outside: zeros there).
struct Patch {
  int height, width;
  int top, left;
  int block;
};

void transform_input(const Tiling& tiling, const Patch& patch, const float* image, float* out,
                     int64_t stride);
void transform_output(const Tiling& tiling, const Patch& patch, const float* in, int64_t stride,
                      const float* bias, Bounds bounds, float* image);
// A dY A^T of the tile's outputs.
void transform_gradient(const Tiling& tiling, const Patch& patch, const float* image, float* out,
                        int64_t stride);

// The taps of a kernel for one input channel and a block of output channels.
struct Taps {
  int block;
  int64_t stride;  // floats from tap to tap
};
// `flip`: turned by 180 degrees, for backward-data.
void transform_weights(const Tiling& tiling, const Taps& taps, bool flip, const float* weights,
                       float* out, int64_t stride);
void transform_weight_gradient(const Tiling& tiling, const Taps& taps, const float* in,
                               int64_t stride, float* weights);

// Output channels that the product kernels handle at once on this machine: whole blocks.
int panel();

constexpr int kTilesPerGroup = 6;  // rows of the forward product; tiles are padded to whole groups

// Transformed tiles v[group][channel block][tile in group][channel in block]: what one product
// reads lies in one row.
// out[tile][panel] = sum over channels of v[tile][channel] * u[channel][panel]
struct Product {
  int block;
  int64_t blocks, groups;
  const float *v, *u;
  float* out;
  const float* next;  // as large as u, read after this: fetched meanwhile
};
void multiply(const Product& product);

constexpr int kRowsPerGroup = 6;

// Transformed tiles v[chunk of rows][tile][row in chunk], m[tile][panel].
// out[row][panel] += sum over tiles of v[tile][row] * m[tile][panel]
struct Outer {
  int64_t tiles, rows;          // rows: whole groups
  int64_t chunk, chunk_stride;  // rows in a chunk, a multiple of a group; floats between chunks
  const float *v, *m;
  float* out;
  bool first;  // out holds nothing yet
};
void accumulate(const Outer& outer);

}  // namespace lockstep::native::winograd
