// winograd_forward.cpp: forward, and backward-data, which is a convolution of the output's gradient
// with the kernel turned by 180 degrees.
//
// Tiles are transformed (v), multiplied with transformed weights (u) summing over channels, and
// transformed back, a batch of tiles and a panel of output channels at a time, so that what lies
// between the three steps stays in cache. The larger of the two transformed tensors is never stored
// whole:
//   many tiles:   u for all, made once; threads take batches of tiles
//   few tiles:    v for all, made once; threads take panels of weights
#include <omp.h>

#include "engine/native/conv_pass.h"
#include "engine/native/parallel.h"
#include "engine/native/winograd_tiles.h"

namespace lockstep::native {
namespace winograd {

// How many tiles to take at a time: enough to use each weight often, few enough for the cache.
int64_t tiles_at_a_time(int64_t channels, int64_t tiles) {
  constexpr int64_t kCacheFloats = 192 * 1024;  // v, in the second-level cache and a bit beyond
  const int64_t fitting = kCacheFloats / (kPoints * channels);
  const int64_t wanted = std::clamp<int64_t>(fitting, 24, 96);
  return std::min(round_up(wanted, kTilesPerGroup), round_up(tiles, kTilesPerGroup));
}

class Convolution {
 public:
  Convolution(const Problem& problem, bool flip)
      : problem_(problem),
        flip_(flip),
        panel_(panel()),
        depth_(problem.input_blocks() * problem.block),
        panels_(round_up(problem.output_blocks() * problem.block, panel_) / panel_),
        batch_(tiles_at_a_time(depth_, problem.tiles())),
        batches_((problem.tiles() + batch_ - 1) / batch_),
        u_stride_(depth_ * panel_),
        v_stride_(point_stride(batch_ * depth_)),
        m_stride_(point_stride(batch_ * panel_)) {
    const int64_t threads = omp_get_max_threads();
    few_tiles_ = batches_ * v_stride_ < panels_ * u_stride_;
    u_floats_ = kPoints * u_stride_ * (few_tiles_ ? threads : panels_);
    v_floats_ = kPoints * v_stride_ * (few_tiles_ ? batches_ : threads);
    m_floats_ = kPoints * m_stride_ * threads;
  }

  int64_t scratch_floats() const { return u_floats_ + v_floats_ + m_floats_; }

  struct Call {
    const float* x;
    const float* weights;  // blocks of input channels within blocks of output channels
    const float* bias;     // padded to blocks; may be null
    Bounds bounds;
    float* y;
    float* scratch;
  };

  void run(const Call& call) const {
    if (few_tiles_) {
      parallel_for(batches_, [&](int64_t b) { transform_batch(call, b, v_at(call, b)); });
      parallel_for(panels_, [&](int64_t p) {
        const int64_t thread = omp_get_thread_num();
        float* u = u_at(call, thread);
        transform_panel(call, p, u);
        for (int64_t b = 0; b < batches_; ++b) one(call, b, p, v_at(call, b), u, thread);
      });
    } else {
      parallel_for(panels_, [&](int64_t p) { transform_panel(call, p, u_at(call, p)); });
      parallel_for(batches_, [&](int64_t b) {
        const int64_t thread = omp_get_thread_num();
        float* v = v_at(call, thread);
        transform_batch(call, b, v);
        for (int64_t p = 0; p < panels_; ++p) one(call, b, p, v, u_at(call, p), thread);
      });
    }
  }

 private:
  float* u_at(const Call& call, int64_t i) const { return call.scratch + i * kPoints * u_stride_; }
  float* v_at(const Call& call, int64_t i) const {
    return call.scratch + u_floats_ + i * kPoints * v_stride_;
  }
  float* m_at(const Call& call, int64_t i) const {
    return call.scratch + u_floats_ + v_floats_ + i * kPoints * m_stride_;
  }
  int64_t tiles_in(int64_t batch) const {
    return std::min(batch_, problem_.tiles() - batch * batch_);
  }

  // v[point][tile][channel]
  void transform_batch(const Call& call, int64_t batch, float* v) const {
    const int64_t pixels = problem_.input.height() * problem_.input.width();
    const int64_t block = problem_.block;
    for (int64_t t = 0; t < tiles_in(batch); ++t) {
      const Tile tile = tile_at(problem_, batch * batch_ + t);
      const float* image = call.x + tile.image * depth_ * pixels;
      for (int64_t c = 0; c < depth_; c += block) {
        transform_input(tile.input, image + c * pixels, v + t * depth_ + c, v_stride_);
      }
    }
  }

  // u[point][input channel][panel]
  void transform_panel(const Call& call, int64_t panel_index, float* u) const {
    const int block = problem_.block, taps = problem_.kernel * problem_.kernel;
    const int64_t inputs = problem_.input_blocks(), outputs = problem_.output_blocks();
    const int64_t block_floats = int64_t{taps} * block * block;
    for (int64_t lane = 0; lane < panel_; lane += block) {
      const int64_t out = (panel_index * panel_ + lane) / block;
      for (int64_t in = 0; in < inputs; ++in) {
        const int64_t place = flip_ ? in * outputs + out : out * inputs + in;
        for (int c = 0; c < block; ++c) {
          float* to = u + (in * block + c) * panel_ + lane;
          if (out < outputs) {
            transform_weights(problem_.kernel, block, flip_,
                              call.weights + place * block_floats + c * block, block * block, to,
                              u_stride_);
          } else {
            for (int k = 0; k < kPoints; ++k) std::fill_n(to + k * u_stride_, block, 0.0f);
          }
        }
      }
    }
  }

  // One batch of tiles and one panel of output channels.
  void one(const Call& call, int64_t batch, int64_t panel_index, const float* v, const float* u,
           int64_t thread) const {
    float* m = m_at(call, thread);
    const int64_t tiles = tiles_in(batch);
    for (int k = 0; k < kPoints; ++k) {
      const float* next = u + (k + 1) * u_stride_;  // of the last point: the next panel's, or ours
      for (int64_t t = 0; t < tiles; t += kTilesPerGroup) {
        multiply({.depth = depth_,
                  .v = v + k * v_stride_ + t * depth_,
                  .v_stride = depth_,
                  .u = u + k * u_stride_,
                  .out = m + k * m_stride_ + t * panel_,
                  .out_stride = panel_,
                  .next = t == 0 ? next : nullptr});
      }
    }
    write_outputs(call, batch, panel_index, m);
  }

  void write_outputs(const Call& call, int64_t batch, int64_t panel_index, const float* m) const {
    const int64_t pixels = problem_.output.height() * problem_.output.width();
    const int64_t block = problem_.block, blocks = problem_.output_blocks();
    for (int64_t t = 0; t < tiles_in(batch); ++t) {
      const Tile tile = tile_at(problem_, batch * batch_ + t);
      for (int64_t lane = 0; lane < panel_; lane += block) {
        const int64_t c = panel_index * panel_ + lane;
        if (c / block >= blocks) break;
        transform_output(problem_.kernel, tile.output, m + t * panel_ + lane, m_stride_,
                         call.bias ? call.bias + c : nullptr, call.bounds,
                         call.y + (tile.image * blocks * block + c) * pixels);
      }
    }
  }

  Problem problem_;
  bool flip_;
  int64_t panel_, depth_, panels_, batch_, batches_;
  int64_t u_stride_, v_stride_, m_stride_;  // from point to point
  bool few_tiles_ = false;
  int64_t u_floats_, v_floats_, m_floats_;
};

}  // namespace winograd

namespace {

constexpr Bounds kEverything{-__builtin_inff(), __builtin_inff()};

dnnl::memory::desc blocked_weights(const ConvProblem& problem, bool transposed) {
  using Tag = dnnl::memory::format_tag;
  const bool wide = preferred_block() == 16;
  const Tag stored = wide ? Tag::OIhw16i16o : Tag::OIhw8i8o;
  const Tag turned = wide ? Tag::OIhw16o16i : Tag::OIhw8o8i;
  return {problem.weight_dims(), kFloat, transposed ? turned : stored};
}

winograd::Problem forward_problem(const ConvProblem& problem) {
  return {.kernel = problem.layer.kernel.height,
          .batch = problem.batch,
          .block = preferred_block(),
          .input = problem.input,
          .output = problem.output,
          .pad_top = problem.pads.top,
          .pad_left = problem.pads.left};
}

winograd::Problem backward_problem(const ConvProblem& problem) {
  winograd::Problem turned = forward_problem(problem);
  std::swap(turned.input, turned.output);
  turned.pad_top = turned.kernel - 1 - problem.pads.top;
  turned.pad_left = turned.kernel - 1 - problem.pads.left;
  return turned;
}

class WinogradForward : public ConvPass {
 public:
  WinogradForward(const ConvProblem& problem, Bounds bounds)
      : convolution_(forward_problem(problem), false),
        weights_(blocked_weights(problem, false)),
        channels_(problem.output.channels()),
        bias_(forward_problem(problem).output_blocks() * preferred_block()) {
    call_.bounds = bounds;
  }
  std::string kernel() const override { return "winograd"; }
  dnnl::memory::desc weights() const override { return weights_; }
  void plan(Planner& planner) override {
    scratch_ = planner.reserve(convolution_.scratch_floats() * static_cast<int64_t>(sizeof(float)));
  }
  void bind(const Addresses& addresses, const ConvTensors& tensors) override {
    call_.x = tensors.x;
    call_.y = tensors.y;
    call_.weights = tensors.weights;
    call_.scratch = addresses.floats(scratch_);
    given_bias_ = tensors.bias;
    if (given_bias_) call_.bias = bias_.data();
  }
  void run() override {
    if (given_bias_) std::copy_n(given_bias_, channels_, bias_.data());
    convolution_.run(call_);
  }
  void move_x(float* x) override { call_.x = x; }

 private:
  winograd::Convolution convolution_;
  dnnl::memory::desc weights_;
  int64_t channels_;
  std::vector<float> bias_;  // padded with zeros
  const float* given_bias_ = nullptr;
  winograd::Convolution::Call call_{};
  BufferId scratch_ = kNoBuffer;
};

class WinogradBackwardData : public ConvPass {
 public:
  explicit WinogradBackwardData(const ConvProblem& problem)
      : convolution_(backward_problem(problem), true), weights_(blocked_weights(problem, true)) {}
  std::string kernel() const override { return "winograd"; }
  dnnl::memory::desc weights() const override { return weights_; }
  void plan(Planner& planner) override {
    scratch_ = planner.reserve(convolution_.scratch_floats() * static_cast<int64_t>(sizeof(float)));
  }
  void bind(const Addresses& addresses, const ConvTensors& tensors) override {
    call_ = {.x = tensors.y,
             .weights = tensors.weights,
             .bias = nullptr,
             .bounds = kEverything,
             .y = tensors.x,
             .scratch = addresses.floats(scratch_)};
  }
  void run() override { convolution_.run(call_); }
  void move_x(float*) override {}  // gradients never leave the plan

 private:
  winograd::Convolution convolution_;
  dnnl::memory::desc weights_;
  winograd::Convolution::Call call_{};
  BufferId scratch_ = kNoBuffer;
};

}  // namespace

bool winograd_fits(const ConvProblem& problem, const dnnl::memory::desc& stored) {
  const Conv& layer = problem.layer;
  const bool square = layer.kernel == Extent(3) || layer.kernel == Extent(5);
  const int block = preferred_block();
  return square && layer.stride == 1 && !layer.depthwise && problem.input.channels() >= block &&
         problem.pads.top < layer.kernel.height && problem.pads.left < layer.kernel.width &&
         stored == blocked_weights(problem, false);
}
std::unique_ptr<ConvPass> make_winograd_forward(const ConvProblem& problem, Bounds bounds) {
  return std::make_unique<WinogradForward>(problem, bounds);
}
std::unique_ptr<ConvPass> make_winograd_backward_data(const ConvProblem& problem) {
  return std::make_unique<WinogradBackwardData>(problem);
}

}  // namespace lockstep::native
