// winograd_tiles.h: how a blocked image is cut into tiles.
#pragma once

#include <algorithm>
#include <cstdint>

#include "engine/native/winograd/winograd_kernels.h"
#include "tensor/shape.h"

namespace lockstep::native::winograd {

// A convolution that reads `input` and writes `output`, its image shifted by the pads.
struct Problem {
  Tiling tiling;
  int batch, block;
  Shape input, output;
  int pad_top, pad_left;

  int64_t rows() const { return (output.height() + tiling.rows.outputs - 1) / tiling.rows.outputs; }
  int64_t columns() const {
    return (output.width() + tiling.columns.outputs - 1) / tiling.columns.outputs;
  }
  int64_t tiles() const { return batch * rows() * columns(); }
  int64_t input_blocks() const { return (input.channels() + block - 1) / block; }
  int64_t output_blocks() const { return (output.channels() + block - 1) / block; }
};

// Where a tile lies: its image, its patch of the input and of the output.
struct Tile {
  int64_t image;
  Patch input, output;
};

inline Tile tile_at(const Problem& problem, int64_t index) {
  const int64_t per_image = problem.rows() * problem.columns();
  const int row =
      static_cast<int>(index % per_image / problem.columns()) * problem.tiling.rows.outputs;
  const int column = static_cast<int>(index % problem.columns()) * problem.tiling.columns.outputs;
  const Shape &in = problem.input, &out = problem.output;
  return {.image = index / per_image,
          .input = {static_cast<int>(in.height()), static_cast<int>(in.width()),
                    row - problem.pad_top, column - problem.pad_left, problem.block},
          .output = {static_cast<int>(out.height()), static_cast<int>(out.width()), row, column,
                     problem.block}};
}

inline int64_t divide_up(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }
inline int64_t round_up(int64_t value, int64_t unit) { return divide_up(value, unit) * unit; }

// Floats from one point's matrix to the next: an odd number of cache lines, or else the writes of a
// transform would fall into the same cache set.
inline int64_t point_stride(int64_t floats) {
  const int64_t lines = round_up(floats, 16) / 16;
  return (lines | 1) * 16;
}

}  // namespace lockstep::native::winograd
