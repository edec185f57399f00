// global_pool_op.cpp: the mean of each channel over the image: blocked in, flat out.
#include <algorithm>
#include <array>

#include "engine/native/gradient_sum.h"
#include "engine/native/parallel.h"
#include "engine/native/simple_ops.h"

namespace lockstep::native {
namespace {

constexpr int kLargestBlock = 16;

class GlobalPoolOp : public Op {
 public:
  GlobalPoolOp(OpInfo info, const Layout& layout, Value& x, Value& y)
      : Op(std::move(info)),
        x_(x),
        y_(y),
        channels_(x.shape.channels()),
        blocks_(layout.blocks(channels_)),
        batch_(layout.batch),
        row_{.pixels = x.shape.height() * x.shape.width(), .block = layout.block} {
    note_kernel("lockstep:simd");
  }

  void plan_forward(Planner& planner) override {
    planner.read(x_);
    planner.write(y_);
  }
  void plan_backward(Planner& planner) override {
    if (!x_.needs_gradient) return;
    gradient_.plan(planner, y_, kUnbounded);
    dx_ = planner.reserve_like(x_);
    planner.contribute(x_, dx_);
  }
  void bind(const Addresses& addresses) override {
    x_data_ = addresses.at(x_.data);
    y_data_ = addresses.at(y_.data);
    if (dx_.buffer == kNoBuffer) return;
    gradient_.bind(addresses);
    dx_data_ = addresses.at(dx_);
  }
  void forward(StepContext&) override {
    parallel_for(batch_ * blocks_, [&](int64_t i) {
      std::array<float, kLargestBlock> mean;
      row_mean(row_, x_data_ + i * row_.floats(), mean.data());
      std::copy_n(mean.data(), real_channels(i), y_data_ + flat(i));
    });
  }
  void backward(StepContext&) override {
    if (!dx_data_) return;
    gradient_.run();
    parallel_for(batch_ * blocks_, [&](int64_t i) {
      std::array<float, kLargestBlock> g{};
      std::copy_n(gradient_.data() + flat(i), real_channels(i), g.data());
      row_spread(row_, g.data(), 1.0f / static_cast<float>(row_.pixels),
                 dx_data_ + i * row_.floats());
    });
  }

 private:
  int64_t flat(int64_t i) const { return i / blocks_ * channels_ + i % blocks_ * row_.block; }
  int64_t real_channels(int64_t i) const {
    return std::min<int64_t>(row_.block, channels_ - i % blocks_ * row_.block);
  }

  Value &x_, &y_;
  int64_t channels_, blocks_, batch_;
  Row row_;
  GradientSum gradient_;
  View dx_;
  const float* x_data_ = nullptr;
  float *y_data_ = nullptr, *dx_data_ = nullptr;
};

}  // namespace

std::unique_ptr<Op> make_global_pool_op(OpInfo info, const Layout& layout, Value& x, Value& y) {
  return std::make_unique<GlobalPoolOp>(std::move(info), layout, x, y);
}

}  // namespace lockstep::native
