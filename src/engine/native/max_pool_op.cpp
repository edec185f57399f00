// max_pool_op.cpp: maximum pooling with our own kernels; backward uses the positions of the maxima,
// stored in a byte each.
#include "engine/native/gradient_sum.h"
#include "engine/native/max_pool_kernels.h"
#include "engine/native/parallel.h"
#include "engine/native/window_op.h"

namespace lockstep::native {
namespace {

PoolPlane plane_of(const Layout& layout, const Pool& layer, const WindowSpec& spec) {
  const Shape &in = spec.x->shape, &out = spec.y->shape;
  return {.in_height = in.height(),
          .in_width = in.width(),
          .out_height = out.height(),
          .out_width = out.width(),
          .window_height = layer.window.height,
          .window_width = layer.window.width,
          .stride = layer.stride,
          .top = spec.pads.top,
          .left = spec.pads.left,
          .block = layout.block};
}

class MaxPoolOp : public Op {
 public:
  MaxPoolOp(OpInfo info, const Layout& layout, const Pool& layer, const WindowSpec& spec)
      : Op(std::move(info)),
        spec_(spec),
        plane_(plane_of(layout, layer, spec)),
        planes_(layout.batch * layout.blocks(spec.x->shape.channels())) {
    note_kernel("lockstep:simd");
  }

  void plan_forward(Planner& planner) override {
    planner.read(*spec_.x);
    planner.write(*spec_.y);
    if (goes_back()) places_ = planner.reserve(planes_ * plane_.out_floats());
  }
  void plan_backward(Planner& planner) override {
    if (!goes_back()) return;
    gradient_.plan(planner, *spec_.y, kUnbounded);
    planner.use(places_);
    dx_ = planner.reserve_like(*spec_.x);
    planner.contribute(*spec_.x, dx_);
  }
  void bind(const Addresses& addresses) override {
    x_data_ = addresses.at(spec_.x->data);
    y_data_ = addresses.at(spec_.y->data);
    if (!goes_back()) return;
    place_data_ = reinterpret_cast<uint8_t*>(addresses.bytes(places_));
    gradient_.bind(addresses);
    dx_data_ = addresses.at(dx_);
  }

  void forward(StepContext&) override {
    parallel_for(planes_, [&](int64_t i) {
      const int64_t out = i * plane_.out_floats();
      max_pool(plane_, x_data_ + i * plane_.in_floats(), y_data_ + out,
               place_data_ ? place_data_ + out : nullptr);
    });
  }
  void backward(StepContext&) override {
    if (!goes_back()) return;
    gradient_.run();
    parallel_for(planes_, [&](int64_t i) {
      const int64_t out = i * plane_.out_floats();
      max_pool_gradient(plane_, gradient_.data() + out, place_data_ + out,
                        dx_data_ + i * plane_.in_floats());
    });
  }

 private:
  bool goes_back() const { return spec_.mode == Mode::Training && spec_.x->needs_gradient; }

  WindowSpec spec_;
  PoolPlane plane_;
  int64_t planes_;  // of all images
  BufferId places_ = kNoBuffer;
  GradientSum gradient_;
  View dx_;
  const float* x_data_ = nullptr;
  float *y_data_ = nullptr, *dx_data_ = nullptr;
  uint8_t* place_data_ = nullptr;
};

}  // namespace

std::unique_ptr<Op> make_max_pool_op(OpInfo info, const Layout& layout, const Pool& layer,
                                     const WindowSpec& spec) {
  return std::make_unique<MaxPoolOp>(std::move(info), layout, layer, spec);
}

}  // namespace lockstep::native
