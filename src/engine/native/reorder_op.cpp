// reorder_op.cpp: one activation in another layout.
#include "engine/native/gradient_sum.h"
#include "engine/native/simple_ops.h"

namespace lockstep::native {
namespace {

class ReorderOp : public Op {
 public:
  ReorderOp(OpInfo info, const Device& device, const Layout& layout, Value& x, Value& y)
      : Op(std::move(info)), device_(device), x_(x), y_(y) {
    from_ = layout.describe(x.shape, x.format);
    // A flat row holds channel, row, column in this order: the plain layout of the same image.
    const Layout plain = {layout.batch, layout.block, ImageLayout::Nchw};
    to_ = y.format == Format::Flat ? plain.describe(x.shape, Format::Image)
                                   : layout.describe(y.shape, y.format);
    if (x.shape.rank() == 1) from_ = to_;
    note_kernel("onednn:reorder");
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
    forward_ = make_reorder(device_, from_, to_);
    forward_.set(DNNL_ARG_FROM, from_,
                 x_.format == Format::Image ? nullptr : addresses.at(x_.data));
    forward_.set(DNNL_ARG_TO, to_, addresses.at(y_.data));
    if (dx_.buffer == kNoBuffer) return;
    gradient_.bind(addresses);
    backward_ = make_reorder(device_, to_, from_);
    backward_.set(DNNL_ARG_FROM, to_, gradient_.data());
    backward_.set(DNNL_ARG_TO, from_, addresses.at(dx_));
  }
  void forward(StepContext& step) override {
    if (x_.format == Format::Image) {
      forward_.move(DNNL_ARG_FROM, const_cast<float*>(step.batch->images.data()));
    }
    forward_.run();
  }
  void backward(StepContext&) override {
    if (!backward_) return;
    gradient_.run();
    backward_.run();
  }

 private:
  const Device& device_;  // borrowed from the engine
  Value &x_, &y_;
  dnnl::memory::desc from_, to_;
  GradientSum gradient_;
  View dx_;
  Primitive forward_, backward_;
};

}  // namespace

std::unique_ptr<Op> make_reorder_op(OpInfo info, const Device& device, const Layout& layout,
                                    Value& x, Value& y) {
  return std::make_unique<ReorderOp>(std::move(info), device, layout, x, y);
}

}  // namespace lockstep::native
