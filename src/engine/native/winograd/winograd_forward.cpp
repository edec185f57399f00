// winograd_forward.cpp: forward, and backward-data, which is a convolution of the output's gradient
// with the kernel turned by 180 degrees.
//
// Tiles are transformed (v), multiplied with transformed weights (u) summing over channels, and
// transformed back (from m), a batch of tiles and a group of panels of output channels at a time.
// The products go point by point, so that one point of v and u is in the second-level cache while
// it is used. The larger of the two transformed tensors is never stored whole:
//   many tiles:   u for all, made once; threads take batches of tiles
//   few tiles:    v for all, made once; threads take groups of panels
#include <omp.h>

#include "engine/native/conv_pass.h"
#include "engine/native/parallel.h"
#include "engine/native/winograd/winograd_tiles.h"

namespace lockstep::native {
namespace winograd {

// How many tiles to take at a time. Each thread gets equally many batches; a batch is large enough
// to use each transformed weight often, and one point of it fits the second-level cache.
int64_t tiles_at_a_time(const Problem& problem, int64_t depth, int64_t threads) {
  constexpr int64_t kCacheFloats = 192 * 1024;  // v of all points
  const int64_t fitting = kCacheFloats / (problem.tiling.points() * depth);
  const int64_t wanted = std::clamp<int64_t>(fitting, 96, 384);
  const int64_t batches = round_up(divide_up(problem.tiles(), wanted), threads);
  return round_up(divide_up(problem.tiles(), batches), kTilesPerGroup);
}

// How many panels of output channels to take at a time: v of a point is read once for all of them.
int64_t panels_at_a_time(int64_t panels, int64_t threads) {
  constexpr int64_t kWanted = 4;
  return divide_up(panels, round_up(divide_up(panels, kWanted), std::min(threads, panels)));
}

class Convolution {
 public:
  Convolution(const Problem& problem, bool flip)
      : problem_(problem),
        flip_(flip),
        threads_(omp_get_max_threads()),
        points_(problem.tiling.points()),
        panel_(panel()),
        depth_(problem.input_blocks() * problem.block),
        panels_(divide_up(problem.output_blocks() * problem.block, panel_)),
        group_(panels_at_a_time(panels_, threads_)),
        groups_(divide_up(panels_, group_)),
        batch_(tiles_at_a_time(problem, depth_, threads_)),
        batches_(divide_up(problem.tiles(), batch_)),
        u_stride_(point_stride(depth_ * panel_)),
        v_stride_(point_stride(batch_ * depth_)),
        m_stride_(point_stride(batch_ * group_ * panel_)) {
    few_tiles_ = batches_ * v_stride_ < panels_ * u_stride_;
    u_floats_ = points_ * u_stride_ * (few_tiles_ ? threads_ * group_ : panels_);
    v_floats_ = points_ * v_stride_ * (few_tiles_ ? batches_ : threads_);
    m_floats_ = points_ * m_stride_ * threads_;
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
      parallel_for(batches_ * problem_.input_blocks(), [&](int64_t i) {
        const int64_t batch = i / problem_.input_blocks();
        transform_block(call, batch, i % problem_.input_blocks(), v_at(call, batch));
      });
      parallel_for(groups_, [&](int64_t g) {
        const int64_t thread = omp_get_thread_num();
        for (int64_t p = 0; p < panels_in(g); ++p) {
          transform_panel(call, g * group_ + p, u_at(call, thread * group_ + p));
        }
        const float* u = u_at(call, thread * group_);
        for (int64_t b = 0; b < batches_; ++b) one(call, b, g, v_at(call, b), u, thread);
      });
    } else {
      parallel_for(panels_, [&](int64_t p) { transform_panel(call, p, u_at(call, p)); });
      parallel_for(batches_, [&](int64_t b) {
        const int64_t thread = omp_get_thread_num();
        float* v = v_at(call, thread);
        for (int64_t c = 0; c < problem_.input_blocks(); ++c) transform_block(call, b, c, v);
        for (int64_t g = 0; g < groups_; ++g) one(call, b, g, v, u_at(call, g * group_), thread);
      });
    }
  }

 private:
  float* u_at(const Call& call, int64_t panel_index) const {
    return call.scratch + panel_index * points_ * u_stride_;
  }
  float* v_at(const Call& call, int64_t i) const {
    return call.scratch + u_floats_ + i * points_ * v_stride_;
  }
  float* m_at(const Call& call, int64_t thread) const {
    return call.scratch + u_floats_ + v_floats_ + thread * points_ * m_stride_;
  }
  int64_t tiles_in(int64_t batch) const {
    return std::min(batch_, problem_.tiles() - batch * batch_);
  }
  int64_t panels_in(int64_t group) const { return std::min(group_, panels_ - group * group_); }

  // One channel block of all tiles of a batch: neighbours in the image follow each other.
  void transform_block(const Call& call, int64_t batch, int64_t block_index, float* v) const {
    const int64_t pixels = problem_.input.height() * problem_.input.width();
    const int64_t block = problem_.block, tile_floats = kTilesPerGroup * block;
    for (int64_t t = 0; t < tiles_in(batch); ++t) {
      const Tile tile = tile_at(problem_, batch * batch_ + t);
      const float* image = call.x + (tile.image * depth_ + block_index * block) * pixels;
      float* to = v + t / kTilesPerGroup * kTilesPerGroup * depth_ + block_index * tile_floats +
                  t % kTilesPerGroup * block;
      transform_input(problem_.tiling, tile.input, image, to, v_stride_);
    }
  }

  // u[point][input channel][panel]
  void transform_panel(const Call& call, int64_t panel_index, float* u) const {
    const int block = problem_.block;
    const int64_t inputs = problem_.input_blocks(), outputs = problem_.output_blocks();
    const Taps taps = {.block = block, .stride = int64_t{block} * block};
    for (int64_t in = 0; in < depth_; ++in) {
      for (int64_t lane = 0; lane < panel_; lane += block) {
        const int64_t out = (panel_index * panel_ + lane) / block;
        const int64_t place = flip_ ? in / block * outputs + out : out * inputs + in / block;
        const float* weights = call.weights + place * problem_.tiling.taps() * taps.stride;
        float* to = u + in * panel_ + lane;
        if (out < outputs) {
          transform_weights(problem_.tiling, taps, flip_, weights + in % block * block, to,
                            u_stride_);
        } else {
          for (int k = 0; k < points_; ++k) std::fill_n(to + k * u_stride_, block, 0.0f);
        }
      }
    }
  }

  // One batch of tiles and one group of panels of output channels, whose u begins at `u`.
  void one(const Call& call, int64_t batch, int64_t group, const float* v, const float* u,
           int64_t thread) const {
    float* m = m_at(call, thread);
    const int64_t panels = panels_in(group);
    for (int k = 0; k < points_; ++k) {
      for (int64_t p = 0; p < panels; ++p) {
        const bool last = p + 1 == panels;
        multiply({.block = problem_.block,
                  .blocks = problem_.input_blocks(),
                  .groups = divide_up(tiles_in(batch), kTilesPerGroup),
                  .v = v + k * v_stride_,
                  .u = u + (p * points_ + k) * u_stride_,
                  .out = m + k * m_stride_ + p * batch_ * panel_,
                  .next = last ? u + (k + 1) % points_ * u_stride_
                               : u + ((p + 1) * points_ + k) * u_stride_});
      }
    }
    for (int64_t p = 0; p < panels; ++p) {
      write_outputs(call, batch, group * group_ + p, m + p * batch_ * panel_);
    }
  }

  void write_outputs(const Call& call, int64_t batch, int64_t panel_index, const float* m) const {
    const int64_t pixels = problem_.output.height() * problem_.output.width();
    const int64_t block = problem_.block, blocks = problem_.output_blocks();
    for (int64_t lane = 0; lane < panel_; lane += block) {
      const int64_t c = panel_index * panel_ + lane;
      if (c / block >= blocks) break;
      for (int64_t t = 0; t < tiles_in(batch); ++t) {
        const Tile tile = tile_at(problem_, batch * batch_ + t);
        transform_output(problem_.tiling, tile.output, m + t * panel_ + lane, m_stride_,
                         call.bias ? call.bias + c : nullptr, call.bounds,
                         call.y + (tile.image * blocks * block + c) * pixels);
      }
    }
  }

  Problem problem_;
  bool flip_;
  int64_t threads_;  // that scratch is for
  int64_t points_, panel_, depth_, panels_, group_, groups_, batch_, batches_;
  int64_t u_stride_, v_stride_, m_stride_;  // from point to point
  bool few_tiles_ = false;
  int64_t u_floats_, v_floats_, m_floats_;
};

}  // namespace winograd

namespace {

constexpr Bounds kEverything{-__builtin_inff(), __builtin_inff()};

dnnl::memory::desc blocked_weights(const ConvProblem& problem, bool transposed) {
  using Tag = dnnl::memory::format_tag;
  const bool wide = block_of(problem.source) == 16;
  const Tag stored = wide ? Tag::OIhw16i16o : Tag::OIhw8i8o;
  const Tag turned = wide ? Tag::OIhw16o16i : Tag::OIhw8o8i;
  return {problem.weight_dims(), kFloat, transposed ? turned : stored};
}

winograd::Problem forward_problem(const ConvProblem& problem) {
  return {.tiling = *winograd::tiling_for(problem.layer.kernel),
          .batch = problem.batch,
          .block = block_of(problem.source),
          .input = problem.input,
          .output = problem.output,
          .pad_top = problem.pads.top,
          .pad_left = problem.pads.left};
}

winograd::Problem backward_problem(const ConvProblem& problem) {
  winograd::Problem turned = forward_problem(problem);
  std::swap(turned.input, turned.output);
  turned.pad_top = problem.layer.kernel.height - 1 - problem.pads.top;
  turned.pad_left = problem.layer.kernel.width - 1 - problem.pads.left;
  return turned;
}

class WinogradForward : public ConvPass {
 public:
  WinogradForward(const ConvProblem& problem, Bounds bounds)
      : convolution_(forward_problem(problem), false),
        weights_(blocked_weights(problem, false)),
        channels_(problem.output.channels()),
        bias_(forward_problem(problem).output_blocks() * block_of(problem.source)) {
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
  if (!winograd::tiling_for(layer.kernel) || layer.stride != 1 || layer.depthwise) return false;
  const int block = block_of(problem.source);
  if (block == 0) return false;
  const Layout layout = {problem.batch, block, ImageLayout::Nchw};
  return problem.input.channels() >= block && problem.pads.top < layer.kernel.height &&
         problem.pads.left < layer.kernel.width &&
         problem.source == layout.describe(problem.input, Format::Blocked) &&
         stored == blocked_weights(problem, false);
}
std::unique_ptr<ConvPass> make_winograd_forward(const ConvProblem& problem, Bounds bounds) {
  return std::make_unique<WinogradForward>(problem, bounds);
}
std::unique_ptr<ConvPass> make_winograd_backward_data(const ConvProblem& problem) {
  return std::make_unique<WinogradBackwardData>(problem);
}

}  // namespace lockstep::native
