// Both ways to convolve, against sums in double precision, over shapes drawn at random.
#include "engine/native/conv_pass.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.h"
#include "engine/native/gradient_sum.h"
#include "tensor/memory.h"

namespace lockstep::native {
namespace {

struct Sample {
  int batch, inputs, outputs, height, width;
  Extent kernel;
  Pads pads;

  std::string text() const {
    return fmt::format("batch {} {}x{}x{} -> {} channels, kernel {}x{}, pads {} {} {} {}", batch,
                       inputs, height, width, outputs, kernel.height, kernel.width, pads.top,
                       pads.bottom, pads.left, pads.right);
  }
  Shape output() const {
    return {outputs, height + pads.top + pads.bottom - kernel.height + 1,
            width + pads.left + pads.right - kernel.width + 1};
  }
};

int between(const RandomStream& random, uint64_t index, int low, int high) {
  return low + static_cast<int>(random.bits(index) % static_cast<uint64_t>(high - low + 1));
}

// Kernels take turns, so that a few samples have them all.
constexpr Extent kKernels[] = {3, 5, {1, 3}, {3, 1}, {1, 7}, {7, 1}};

constexpr int kMostBlock = 16;

// Together as many rows and columns as the kernel needs to keep the image's size, or more, on
// either side.
Pads draw_pads(const RandomStream& random, Extent kernel) {
  const auto both = [&](uint64_t index, int kernel_size) {
    const int before = between(random, index, 0, kernel_size - 1);
    return std::pair(before, between(random, index + 1, kernel_size - 1 - before, kernel_size - 1));
  };
  const auto [top, bottom] = both(8, kernel.height);
  const auto [left, right] = both(10, kernel.width);
  return {top, bottom, left, right};
}

Sample draw(int number) {
  const RandomStream random(static_cast<uint64_t>(number), 1);
  const Extent kernel = kKernels[static_cast<size_t>(number) % std::size(kKernels)];
  const bool large = between(random, 1, 0, 3) == 0;  // few, and narrow: for time
  const int side = large ? 64 : 20, channels = large ? 24 : 70;
  const bool valid = between(random, 2, 0, 3) == 0;
  return {.batch = between(random, 3, 1, 3),
          .inputs = between(random, 4, kMostBlock, channels),
          .outputs = between(random, 5, 1, channels),
          .height = between(random, 6, valid ? kernel.height : 1, side),
          .width = between(random, 7, valid ? kernel.width : 1, side),
          .kernel = kernel,
          .pads = valid ? Pads{} : draw_pads(random, kernel)};
}

using Doubles = std::vector<double>;

// Plain tensors: image, channel, row, column; kernel: output, input, row, column.
struct Plain {
  std::vector<float> x, y, weights;
};

double relative_error(const std::vector<float>& actual, const Doubles& expected) {
  double error = 0, norm = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    error += (actual[i] - expected[i]) * (actual[i] - expected[i]);
    norm += expected[i] * expected[i];
  }
  return std::sqrt(error / norm);
}

class Harness {
 public:
  explicit Harness(const Sample& sample, int block = preferred_block())
      : layout_{sample.batch, block, ImageLayout::Nchw} {
    const Shape input = {sample.inputs, sample.height, sample.width};
    const Conv layer = {.filters = sample.outputs, .kernel = sample.kernel, .bias = false};
    const Shape output = sample.output();
    problem_ = {.layer = layer,
                .pads = sample.pads,
                .input = input,
                .output = output,
                .batch = sample.batch,
                .bias = false,
                .inference = false,
                .source = layout_.describe(input, Format::Blocked),
                .destination = layout_.describe(output, Format::Blocked)};
    stored_ = make_direct_forward(device_, problem_)->weights();
    plain_.x.resize(sample.batch * input.elements());
    plain_.y.resize(sample.batch * output.elements());
    plain_.weights.resize(sample.outputs * sample.inputs * sample.kernel.height *
                          sample.kernel.width);
    fill_truncated_normal(plain_.x, RandomStream(7, 1), 0.3, 1);
    fill_truncated_normal(plain_.y, RandomStream(7, 2), 0, 1);
    fill_truncated_normal(plain_.weights, RandomStream(7, 3), 0, 0.1);
  }

  // Where oneDNN would store them otherwise: for unusual pads, or the other size of blocks.
  void store_weights_for_winograd() {
    stored_ = make_winograd_forward(problem_, kUnbounded)->weights();
  }
  bool fits() const { return winograd_fits(problem_, stored_); }

  double forward_error(bool winograd) {
    const auto pass = winograd ? make_winograd_forward(problem_, kUnbounded)
                               : make_direct_forward(device_, problem_);
    return relative_error(run(*pass).y, exact_forward());
  }
  double data_error(bool winograd) {
    const auto pass = winograd ? make_winograd_backward_data(problem_)
                               : make_direct_backward_data(device_, problem_);
    return relative_error(run(*pass).x, exact_data());
  }
  double weights_error(bool winograd) {
    const auto pass = winograd ? make_winograd_backward_weights(problem_)
                               : make_direct_backward_weights(device_, problem_, stored_);
    return relative_error(run(*pass).weights, exact_weights());
  }

 private:
  // Every tensor goes in as given and comes back as the pass left it.
  Plain run(ConvPass& pass) {
    Planner planner(layout_);
    pass.plan(planner);
    const Memory scratch(planner.place());
    const int64_t none[] = {0};
    const ParameterId order[] = {0};
    const ParameterArena arena(none, order);
    const dnnl::memory::desc weights = pass.weights().get_size() ? pass.weights() : stored_;
    const Memory x = blocked(problem_.source, plain_x(), plain_.x);
    const Memory y = blocked(problem_.destination, plain_y(), plain_.y);
    const Memory w = blocked(weights, problem_.plain_weights(), plain_.weights);
    pass.bind(Addresses(planner, scratch.data(), arena), {.x = x.floats().data(),
                                                          .y = y.floats().data(),
                                                          .weights = w.floats().data(),
                                                          .bias = nullptr});
    pass.run();
    Plain result = plain_;
    reorder(device_, problem_.source, x.data(), plain_x(), result.x.data());
    reorder(device_, problem_.destination, y.data(), plain_y(), result.y.data());
    reorder(device_, weights, w.data(), problem_.plain_weights(), result.weights.data());
    return result;
  }

  Memory blocked(const dnnl::memory::desc& to, const dnnl::memory::desc& from,
                 const std::vector<float>& plain) {
    Memory memory(static_cast<int64_t>(to.get_size()));
    reorder(device_, from, plain.data(), to, memory.data());
    return memory;
  }
  dnnl::memory::desc plain_x() const { return layout_.describe(problem_.input, Format::Image); }
  dnnl::memory::desc plain_y() const { return layout_.describe(problem_.output, Format::Image); }

  // body(x index, y index, weight index) for every product of the convolution.
  template <typename Body>
  void for_every_product(const Body& body) const {
    const Shape &in = problem_.input, &out = problem_.output;
    const Extent kernel = problem_.layer.kernel;
    for (int64_t n = 0; n < problem_.batch; ++n)
      for (int64_t o = 0; o < out.channels(); ++o)
        for (int64_t i = 0; i < in.channels(); ++i)
          for (int64_t r = 0; r < out.height(); ++r)
            for (int64_t c = 0; c < out.width(); ++c)
              for (int a = 0; a < kernel.height; ++a)
                for (int b = 0; b < kernel.width; ++b) {
                  const int64_t row = r + a - problem_.pads.top,
                                column = c + b - problem_.pads.left;
                  if (row < 0 || row >= in.height() || column < 0 || column >= in.width()) continue;
                  body(((n * in.channels() + i) * in.height() + row) * in.width() + column,
                       ((n * out.channels() + o) * out.height() + r) * out.width() + c,
                       ((o * in.channels() + i) * kernel.height + a) * kernel.width + b);
                }
  }
  Doubles exact_forward() const {
    Doubles y(plain_.y.size());
    for_every_product([&](int64_t i, int64_t o, int64_t w) {
      y[o] += static_cast<double>(plain_.x[i]) * plain_.weights[w];
    });
    return y;
  }
  Doubles exact_data() const {
    Doubles x(plain_.x.size());
    for_every_product([&](int64_t i, int64_t o, int64_t w) {
      x[i] += static_cast<double>(plain_.y[o]) * plain_.weights[w];
    });
    return x;
  }
  Doubles exact_weights() const {
    Doubles weights(plain_.weights.size());
    for_every_product([&](int64_t i, int64_t o, int64_t w) {
      weights[w] += static_cast<double>(plain_.x[i]) * plain_.y[o];
    });
    return weights;
  }

  Device device_;
  Layout layout_;
  ConvProblem problem_;
  dnnl::memory::desc stored_;
  Plain plain_;
};

// Of weight gradients: over a few pixels direct convolution hardly rounds, so that 2.5 times its
// error would be next to nothing. Then this counts, which is less than other directions may lose.
constexpr double kShortSums = 2e-6;

class ConvPasses : public testing::TestWithParam<int> {};

TEST_P(ConvPasses, WinogradIsNearlyAsExactAsDirect) {
  const Sample sample = draw(GetParam());
  SCOPED_TRACE(sample.text());
  Harness harness(sample);
  harness.store_weights_for_winograd();
  ASSERT_TRUE(harness.fits());
  EXPECT_LE(harness.forward_error(true), 3e-6);
  EXPECT_LE(harness.data_error(true), 3e-6);
  EXPECT_LE(harness.weights_error(true),
            std::max(2.5 * Harness(sample).weights_error(false), kShortSums));
}

// As where AVX-512 runs, or AVX2 alone: whatever this machine has.
TEST_P(ConvPasses, WinogradIsAsExactInTheOtherSizeOfBlocks) {
  const Sample sample = draw(GetParam());
  SCOPED_TRACE(sample.text());
  Harness harness(sample, preferred_block() == 8 ? 16 : 8);
  harness.store_weights_for_winograd();
  ASSERT_TRUE(harness.fits());
  EXPECT_LE(harness.forward_error(true), 3e-6);
  EXPECT_LE(harness.data_error(true), 3e-6);
  EXPECT_LE(harness.weights_error(true),
            std::max(2.5 * Harness(sample).weights_error(false), kShortSums));
}

TEST_P(ConvPasses, DirectIsExact) {
  Harness harness(draw(GetParam()));
  EXPECT_LE(harness.forward_error(false), 2e-6);
  EXPECT_LE(harness.data_error(false), 2e-6);
}

INSTANTIATE_TEST_SUITE_P(RandomShapes, ConvPasses, testing::Range(0, LOCKSTEP_CONV_SAMPLES));

TEST(WinogradFits, OnlyWhatItComputes) {
  EXPECT_TRUE(Harness({1, 16, 16, 8, 8, 3, {}}).fits());
  EXPECT_FALSE(Harness({1, 16, 16, 8, 8, 1, {}}).fits());
  EXPECT_FALSE(Harness({1, 3, 16, 8, 8, 3, {}}).fits());
  EXPECT_TRUE(Harness({1, 16, 16, 8, 8, {1, 7}, {}}).fits());
  EXPECT_FALSE(Harness({1, 16, 16, 8, 8, {3, 5}, {}}).fits());
}

}  // namespace
}  // namespace lockstep::native
