// winograd_weights.cpp: the gradient of a kernel: dW = G^T [ sum over tiles (B^T x B)(A dy A^T) ]
// G.
//
// Some tiles at a time are transformed by all threads; then the sums over tiles are shared out
// by point and panel of output channels, so every sum is made by one thread in one order: the
// result does not depend on the number of threads, and no private copies have to be added.
#include <omp.h>

#include "engine/native/conv_pass.h"
#include "engine/native/parallel.h"
#include "engine/native/winograd/winograd_tiles.h"

namespace lockstep::native {
namespace winograd {

class WeightGradient {
 public:
  explicit WeightGradient(const Problem& problem)
      : problem_(problem),
        points_(problem.tiling.points()),
        panel_(panel()),
        chunk_(int64_t{problem.block} * 3),  // whole blocks and whole groups of rows
        inputs_(problem.input_blocks() * problem.block),
        outputs_(problem.output_blocks() * problem.block),
        rows_(round_up(inputs_, kRowsPerGroup)),
        panels_(divide_up(outputs_, panel_)),
        batch_(tiles_at_a_time()),
        v_stride_(point_stride(batch_ * round_up(inputs_, chunk_))),
        m_stride_(point_stride(batch_ * panels_ * panel_)),
        sum_stride_(point_stride(panels_ * panel_ * rows_)) {}

  int64_t scratch_floats() const { return points_ * (v_stride_ + m_stride_ + sum_stride_); }

  struct Call {
    const float *x, *dy;
    float* weights;
    float* scratch;
  };

  void run(const Call& call) const {
    for (int64_t begin = 0; begin < problem_.tiles(); begin += batch_) {
      const int64_t tiles = std::min(batch_, problem_.tiles() - begin);
      transform(call, begin, tiles);
      parallel_for(points_ * panels_, [&](int64_t i) {
        add_tiles(call, i / panels_, i % panels_, tiles, begin == 0);
      });
    }
    parallel_for(problem_.output_blocks() * problem_.input_blocks(), [&](int64_t i) {
      write(call, i / problem_.input_blocks(), i % problem_.input_blocks());
    });
  }

 private:
  // Few enough that transformed tiles stay in a cache; but where the sums do not, many, because the
  // sums are read and written once per batch.
  int64_t tiles_at_a_time() const {
    constexpr int64_t kCacheFloats = 512 * 1024, kLargeSums = 2 * 1024 * 1024;
    const int64_t fitting = kCacheFloats / (points_ * (inputs_ + outputs_));
    const int64_t least = points_ * inputs_ * outputs_ > kLargeSums ? 192 : 64;
    return std::min(std::clamp<int64_t>(fitting, least, 256), problem_.tiles());
  }

  float* v(const Call& call) const { return call.scratch; }
  float* m(const Call& call) const { return call.scratch + points_ * v_stride_; }
  float* sums(const Call& call) const { return m(call) + points_ * m_stride_; }

  // Blocks of input channels, then of output channels. Within a block, neighbours in the image
  // follow each other; a piece is what one thread takes.
  void transform(const Call& call, int64_t begin, int64_t tiles) const {
    constexpr int64_t kPiece = 32;
    const int64_t pieces = divide_up(tiles, kPiece), inputs = problem_.input_blocks();
    parallel_for((inputs + problem_.output_blocks()) * pieces, [&](int64_t i) {
      const int64_t block = i / pieces, first = i % pieces * kPiece;
      for (int64_t t = first; t < std::min(first + kPiece, tiles); ++t) {
        const Tile tile = tile_at(problem_, begin + t);
        if (block < inputs) {
          transform_input_block(call, tile, block, t);
        } else {
          transform_output_block(call, tile, block - inputs, t);
        }
      }
    });
  }

  // v[point][chunk][tile][row in chunk]
  void transform_input_block(const Call& call, const Tile& tile, int64_t block, int64_t t) const {
    const int64_t pixels = problem_.input.height() * problem_.input.width();
    const int64_t c = block * problem_.block;
    transform_input(problem_.tiling, tile.input, call.x + (tile.image * inputs_ + c) * pixels,
                    v(call) + (c / chunk_ * batch_ + t) * chunk_ + c % chunk_, v_stride_);
  }
  // m[point][panel][tile][lane]
  void transform_output_block(const Call& call, const Tile& tile, int64_t block, int64_t t) const {
    const int64_t pixels = problem_.output.height() * problem_.output.width();
    const int64_t c = block * problem_.block;
    transform_gradient(problem_.tiling, tile.output, call.dy + (tile.image * outputs_ + c) * pixels,
                       m(call) + (c / panel_ * batch_ + t) * panel_ + c % panel_, m_stride_);
  }

  // sums[point][panel][input channel][lane]
  void add_tiles(const Call& call, int64_t point, int64_t panel_index, int64_t tiles,
                 bool first) const {
    accumulate({.tiles = tiles,
                .rows = rows_,
                .chunk = chunk_,
                .chunk_stride = batch_ * chunk_,
                .v = v(call) + point * v_stride_,
                .m = m(call) + point * m_stride_ + panel_index * batch_ * panel_,
                .out = sums(call) + point * sum_stride_ + panel_index * rows_ * panel_,
                .first = first});
  }

  void write(const Call& call, int64_t out_block, int64_t in_block) const {
    const int block = problem_.block;
    const Taps taps = {.block = block, .stride = int64_t{block} * block};
    const int64_t channel = out_block * block;
    float* weights = call.weights + (out_block * problem_.input_blocks() + in_block) *
                                        problem_.tiling.taps() * taps.stride;
    for (int c = 0; c < block; ++c) {
      const int64_t row = in_block * block + c;
      const float* from =
          sums(call) + channel / panel_ * rows_ * panel_ + row * panel_ + channel % panel_;
      transform_weight_gradient(problem_.tiling, taps, from, sum_stride_, weights + c * block);
    }
  }

  Problem problem_;
  int64_t points_, panel_, chunk_, inputs_, outputs_, rows_, panels_, batch_;
  int64_t v_stride_, m_stride_, sum_stride_;  // from point to point
};

}  // namespace winograd

namespace {

class WinogradBackwardWeights : public ConvPass {
 public:
  explicit WinogradBackwardWeights(const ConvProblem& problem)
      : gradient_({.tiling = *winograd::tiling_for(problem.layer.kernel),
                   .batch = problem.batch,
                   .block = block_of(problem.source),
                   .input = problem.input,
                   .output = problem.output,
                   .pad_top = problem.pads.top,
                   .pad_left = problem.pads.left}),
        problem_(problem) {}
  std::string kernel() const override { return "winograd"; }
  dnnl::memory::desc weights() const override { return {}; }
  void plan(Planner& planner) override {
    scratch_ = planner.reserve(gradient_.scratch_floats() * static_cast<int64_t>(sizeof(float)));
  }
  void bind(const Addresses& addresses, const ConvTensors& tensors) override {
    call_ = {.x = tensors.x,
             .dy = tensors.y,
             .weights = tensors.weights,
             .scratch = addresses.floats(scratch_)};
    bias_ = tensors.bias;
  }
  void run() override {
    gradient_.run(call_);
    if (bias_) sum_bias();
  }
  void move_x(float* x) override { call_.x = x; }

 private:
  void sum_bias() const {
    const int block = block_of(problem_.source);
    const int64_t channels = problem_.output.channels(), blocks = (channels + block - 1) / block;
    const Row row = {.pixels = problem_.output.height() * problem_.output.width(), .block = block};
    parallel_for(blocks, [&](int64_t b) {
      double sums[16] = {};
      for (int64_t image = 0; image < problem_.batch; ++image) {
        float means[16];
        row_mean(row, call_.dy + (image * blocks + b) * row.floats(), means);
        for (int c = 0; c < block; ++c) sums[c] += static_cast<double>(means[c]);
      }
      for (int64_t c = 0; c < std::min<int64_t>(block, channels - b * block); ++c) {
        bias_[b * block + c] = static_cast<float>(sums[c] * static_cast<double>(row.pixels));
      }
    });
  }

  winograd::WeightGradient gradient_;
  ConvProblem problem_;
  float* bias_ = nullptr;
  winograd::WeightGradient::Call call_{};
  BufferId scratch_ = kNoBuffer;
};

}  // namespace

std::unique_ptr<ConvPass> make_winograd_backward_weights(const ConvProblem& problem) {
  return std::make_unique<WinogradBackwardWeights>(problem);
}

}  // namespace lockstep::native
