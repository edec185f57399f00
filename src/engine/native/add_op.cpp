// add_op.cpp: y = clamp(a [+ b]). Backward only applies the mask: both inputs get the gradient.
#include "engine/native/gradient_sum.h"
#include "engine/native/parallel.h"
#include "engine/native/simple_ops.h"

namespace lockstep::native {
namespace {

constexpr int64_t kPiece = 16384;

class AddOp : public Op {
 public:
  AddOp(OpInfo info, const Layout& layout, Value& a, Value* b, Value& y, Bounds bounds)
      : Op(std::move(info)), a_(a), b_(b), y_(y), bounds_(bounds) {
    floats_ = layout.floats_per_image(y.shape, y.format) * layout.batch;
    note_kernel("lockstep:simd");
  }

  void plan_forward(Planner& planner) override {
    planner.read(a_);
    if (b_) planner.read(*b_);
    planner.write(y_);
  }
  void plan_backward(Planner& planner) override {
    if (!y_.needs_gradient) return;
    gradient_.plan(planner, y_, bounds_);
    planner.contribute(a_, gradient_.view());
    if (b_) planner.contribute(*b_, gradient_.view());
  }
  void bind(const Addresses& addresses) override {
    a_data_ = addresses.at(a_.data);
    b_data_ = b_ ? addresses.at(b_->data) : nullptr;
    y_data_ = addresses.at(y_.data);
    if (gradient_.view().buffer != kNoBuffer) gradient_.bind(addresses);
  }
  void forward(StepContext&) override {
    parallel_pieces(floats_, kPiece, [&](int64_t begin, int64_t end) {
      add_clamped(end - begin, a_data_ + begin, b_data_ ? b_data_ + begin : nullptr, bounds_,
                  y_data_ + begin);
    });
  }
  void backward(StepContext&) override { gradient_.run(); }

 private:
  Value& a_;
  Value* b_;  // may be null
  Value& y_;
  Bounds bounds_;
  int64_t floats_;
  GradientSum gradient_;
  const float *a_data_ = nullptr, *b_data_ = nullptr;
  float* y_data_ = nullptr;
};

}  // namespace

std::unique_ptr<Op> make_add_op(OpInfo info, const Layout& layout, Value& a, Value* b, Value& y,
                                Bounds bounds) {
  return std::make_unique<AddOp>(std::move(info), layout, a, b, y, bounds);
}

}  // namespace lockstep::native
