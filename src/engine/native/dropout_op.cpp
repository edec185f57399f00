// dropout_op.cpp: the mask is a function of (seed, layer, step, element), so backward computes it
// again instead of keeping it.
#include "engine/native/gradient_sum.h"
#include "engine/native/parallel.h"
#include "engine/native/simple_ops.h"
#include "nn/dropout_mask.h"

namespace lockstep::native {
namespace {

class DropoutOp : public Op {
 public:
  DropoutOp(OpInfo info, const Layout& layout, const DropoutSpec& spec)
      : Op(std::move(info)),
        spec_(spec),
        layout_(layout),
        floats_(layout.floats_per_image(spec.x->shape, spec.x->format)) {
    note_kernel("lockstep:scalar");
  }

  void plan_forward(Planner& planner) override {
    planner.read(*spec_.x);
    planner.write(*spec_.y);
  }
  void plan_backward(Planner& planner) override {
    if (!spec_.x->needs_gradient) return;
    gradient_.plan(planner, *spec_.y, kUnbounded);
    dx_ = planner.reserve_like(*spec_.x);
    planner.contribute(*spec_.x, dx_);
  }
  void bind(const Addresses& addresses) override {
    x_ = addresses.at(spec_.x->data);
    y_ = addresses.at(spec_.y->data);
    if (dx_.buffer == kNoBuffer) return;
    gradient_.bind(addresses);
    dx_data_ = addresses.at(dx_);
  }
  void forward(StepContext& step) override { drop(step.step, x_, y_); }
  void backward(StepContext& step) override {
    if (!dx_data_) return;
    gradient_.run();
    drop(step.step, gradient_.data(), dx_data_);
  }

 private:
  void drop(int64_t step, const float* in, float* out) const {
    const RandomStream random(spec_.seed, dropout_stream(spec_.node, step));
    const float scale = static_cast<float>(1 / spec_.keep);
    parallel_pieces(floats_ * layout_.batch, 4096, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const bool kept = keeps(random, static_cast<uint64_t>(plain_index(i)), spec_.keep);
        out[i] = kept ? in[i] * scale : 0.0f;
      }
    });
  }

  // Of a padding channel: anything, it is zero either way.
  int64_t plain_index(int64_t i) const {
    if (spec_.x->format == Format::Flat) return i;
    const int64_t pixels = spec_.x->shape.height() * spec_.x->shape.width();
    const int64_t image = i / floats_, within = i % floats_;
    const int64_t row = within / (pixels * layout_.block), pixel = within / layout_.block % pixels;
    const int64_t channel = row * layout_.block + within % layout_.block;
    return (image * spec_.x->shape.channels() + channel) * pixels + pixel;
  }

  DropoutSpec spec_;
  Layout layout_;
  int64_t floats_;  // per image
  GradientSum gradient_;
  View dx_;
  const float* x_ = nullptr;
  float *y_ = nullptr, *dx_data_ = nullptr;
};

}  // namespace

std::unique_ptr<Op> make_dropout_op(OpInfo info, const Layout& layout, const DropoutSpec& spec) {
  return std::make_unique<DropoutOp>(std::move(info), layout, spec);
}

}  // namespace lockstep::native
