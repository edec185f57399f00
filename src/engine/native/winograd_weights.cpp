// winograd_weights.cpp: the gradient of a kernel: dW = G^T [ sum over tiles (B^T x B)(A dy A^T) ]
// G.
//
// Some tiles at a time are transformed by all threads; then the 36 sums over tiles are shared out
// by point and panel of output channels, so every sum is made by one thread in one order: the
// result does not depend on the number of threads, and no private copies have to be added.
#include <omp.h>

#include "engine/native/conv_pass.h"
#include "engine/native/parallel.h"
#include "engine/native/winograd_tiles.h"

namespace lockstep::native {
namespace winograd {

class WeightGradient {
 public:
  explicit WeightGradient(const Problem& problem)
      : problem_(problem),
        panel_(panel()),
        inputs_(problem.input_blocks() * problem.block),
        outputs_(problem.output_blocks() * problem.block),
        rows_(round_up(inputs_, kRowsPerGroup)),
        panels_(round_up(outputs_, panel_) / panel_),
        batch_(tiles_at_a_time()),
        v_stride_(point_stride(batch_ * rows_)),
        m_stride_(point_stride(batch_ * panels_ * panel_)),
        sum_stride_(point_stride(panels_ * panel_ * rows_)) {}

  int64_t scratch_floats() const { return kPoints * (v_stride_ + m_stride_ + sum_stride_); }

  struct Call {
    const float *x, *dy;
    float* weights;
    float* scratch;
  };

  void run(const Call& call) const {
    for (int64_t begin = 0; begin < problem_.tiles(); begin += batch_) {
      const int64_t tiles = std::min(batch_, problem_.tiles() - begin);
      parallel_for(tiles, [&](int64_t t) { transform_tile(call, begin + t, t); });
      parallel_for(kPoints * panels_, [&](int64_t i) {
        add_tiles(call, i / panels_, i % panels_, tiles, begin == 0);
      });
    }
    parallel_for(problem_.output_blocks() * problem_.input_blocks(), [&](int64_t i) {
      write(call, i / problem_.input_blocks(), i % problem_.input_blocks());
    });
  }

 private:
  // Transformed inputs and gradients share the last-level cache with the sums.
  int64_t tiles_at_a_time() const {
    constexpr int64_t kCacheFloats = 512 * 1024;
    const int64_t fitting = kCacheFloats / (kPoints * (inputs_ + outputs_));
    return std::min(std::clamp<int64_t>(fitting, 48, 192), problem_.tiles());
  }

  float* v(const Call& call) const { return call.scratch; }
  float* m(const Call& call) const { return call.scratch + kPoints * v_stride_; }
  float* sums(const Call& call) const { return m(call) + kPoints * m_stride_; }

  void transform_tile(const Call& call, int64_t index, int64_t t) const {
    const Tile tile = tile_at(problem_, index);
    const int64_t in_pixels = problem_.input.height() * problem_.input.width();
    const int64_t out_pixels = problem_.output.height() * problem_.output.width();
    const float* x = call.x + tile.image * inputs_ * in_pixels;
    const float* dy = call.dy + tile.image * outputs_ * out_pixels;
    for (int64_t c = 0; c < inputs_; c += problem_.block) {
      transform_input(tile.input, x + c * in_pixels, v(call) + t * rows_ + c, v_stride_);
    }
    for (int64_t c = 0; c < outputs_; c += problem_.block) {
      transform_gradient(problem_.kernel, tile.output, dy + c * out_pixels,
                         m(call) + t * panels_ * panel_ + c, m_stride_);
    }
  }

  // sums[point][panel][input channel][lane]
  void add_tiles(const Call& call, int64_t point, int64_t panel_index, int64_t tiles,
                 bool first) const {
    float* sum = sums(call) + point * sum_stride_ + panel_index * rows_ * panel_;
    for (int64_t row = 0; row < rows_; row += kRowsPerGroup) {
      accumulate({.tiles = tiles,
                  .v = v(call) + point * v_stride_ + row,
                  .v_stride = rows_,
                  .m = m(call) + point * m_stride_ + panel_index * panel_,
                  .m_stride = panels_ * panel_,
                  .out = sum + row * panel_,
                  .out_stride = panel_,
                  .first = first});
    }
  }

  void write(const Call& call, int64_t out_block, int64_t in_block) const {
    const int block = problem_.block, taps = problem_.kernel * problem_.kernel;
    const int64_t channel = out_block * block;
    float* weights = call.weights + (out_block * problem_.input_blocks() + in_block) *
                                        int64_t{taps} * block * block;
    for (int c = 0; c < block; ++c) {
      const int64_t row = in_block * block + c;
      const float* from =
          sums(call) + channel / panel_ * rows_ * panel_ + row * panel_ + channel % panel_;
      transform_weight_gradient(problem_.kernel, block, from, sum_stride_, weights + c * block,
                                int64_t{block} * block);
    }
  }

  Problem problem_;
  int64_t panel_, inputs_, outputs_, rows_, panels_, batch_;
  int64_t v_stride_, m_stride_, sum_stride_;  // from point to point
};

}  // namespace winograd

namespace {

class WinogradBackwardWeights : public ConvPass {
 public:
  explicit WinogradBackwardWeights(const ConvProblem& problem)
      : gradient_({.kernel = problem.layer.kernel.height,
                   .batch = problem.batch,
                   .block = preferred_block(),
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
    const int block = preferred_block();
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
