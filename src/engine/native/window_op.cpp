#include "engine/native/window_op.h"

#include "engine/native/gradient_sum.h"
#include "engine/native/max_pool_kernels.h"

namespace lockstep::native {
namespace {

// The two families differ in how their descriptors are made and in whether backward reads x.
struct PoolFamily {
  using Forward = dnnl::pooling_forward;
  using Backward = dnnl::pooling_backward;
  static constexpr bool kBackwardReadsInput = false;
};
struct LrnFamily {
  using Forward = dnnl::lrn_forward;
  using Backward = dnnl::lrn_backward;
  static constexpr bool kBackwardReadsInput = true;
};

template <typename Family>
class WindowOp : public Op {
 public:
  using ForwardDesc = typename Family::Forward::primitive_desc;
  using BackwardDesc = typename Family::Backward::primitive_desc;

  WindowOp(OpInfo info, const Device& device, const Layout& layout, const WindowSpec& spec,
           ForwardDesc forward, BackwardDesc backward)
      : Op(std::move(info)),
        device_(device),
        spec_(spec),
        source_(layout.describe(spec.x->shape, Format::Blocked)),
        destination_(layout.describe(spec.y->shape, Format::Blocked)),
        forward_desc_(std::move(forward)),
        backward_desc_(std::move(backward)) {
    std::string kernels = forward_desc_.impl_info_str();
    if (backward_desc_.get(true)) kernels += std::string(" ") + backward_desc_.impl_info_str();
    note_kernel(kernels);
  }

  void plan_forward(Planner& planner) override {
    planner.read(*spec_.x);
    planner.write(*spec_.y);
    scratch_ = planner.reserve(scratch_bytes(forward_desc_));
    const auto workspace_bytes = static_cast<int64_t>(forward_desc_.workspace_desc().get_size());
    if (workspace_bytes > 0) workspace_ = planner.reserve(workspace_bytes);
  }
  void plan_backward(Planner& planner) override {
    if (!spec_.x->needs_gradient) return;
    gradient_.plan(planner, *spec_.y, kUnbounded);
    if (workspace_ != kNoBuffer) planner.use(workspace_);
    if (Family::kBackwardReadsInput) planner.read(*spec_.x);
    backward_scratch_ = planner.reserve(scratch_bytes(backward_desc_));
    dx_ = planner.reserve_like(*spec_.x);
    planner.contribute(*spec_.x, dx_);
  }

  void bind(const Addresses& addresses) override {
    forward_ = Primitive(device_, typename Family::Forward(forward_desc_));
    forward_.set(DNNL_ARG_SRC, source_, addresses.at(spec_.x->data));
    forward_.set(DNNL_ARG_DST, destination_, addresses.at(spec_.y->data));
    finish_binding(forward_, forward_desc_, addresses, scratch_);
    if (spec_.mode == Mode::Inference || !spec_.x->needs_gradient) return;
    gradient_.bind(addresses);
    backward_ = Primitive(device_, typename Family::Backward(backward_desc_));
    if (Family::kBackwardReadsInput) {
      backward_.set(DNNL_ARG_SRC, source_, addresses.at(spec_.x->data));
    }
    backward_.set(DNNL_ARG_DIFF_DST, destination_, gradient_.data());
    backward_.set(DNNL_ARG_DIFF_SRC, source_, addresses.at(dx_));
    finish_binding(backward_, backward_desc_, addresses, backward_scratch_);
  }

  void forward(StepContext&) override { forward_.run(); }
  void backward(StepContext&) override {
    if (!backward_) return;
    gradient_.run();
    backward_.run();
  }

 private:
  template <typename PrimitiveDesc>
  void finish_binding(Primitive& primitive, const PrimitiveDesc& desc, const Addresses& addresses,
                      BufferId scratch) {
    if (workspace_ != kNoBuffer) {
      primitive.set(DNNL_ARG_WORKSPACE, forward_desc_.workspace_desc(),
                    addresses.bytes(workspace_));
    }
    primitive.set(DNNL_ARG_SCRATCHPAD, desc.scratchpad_desc(), addresses.bytes(scratch));
  }

  const Device& device_;  // borrowed from the engine
  WindowSpec spec_;
  dnnl::memory::desc source_, destination_;
  ForwardDesc forward_desc_;
  BackwardDesc backward_desc_;
  BufferId scratch_ = kNoBuffer, backward_scratch_ = kNoBuffer, workspace_ = kNoBuffer;
  GradientSum gradient_;
  View dx_;
  Primitive forward_, backward_;
};

dnnl::prop_kind forward_kind(Mode mode) {
  return mode == Mode::Inference ? dnnl::prop_kind::forward_inference
                                 : dnnl::prop_kind::forward_training;
}

}  // namespace

std::unique_ptr<Op> make_pool_op(OpInfo info, const Device& device, const Layout& layout,
                                 const Pool& layer, const WindowSpec& spec) {
  if (layer.kind == Pool::Max && layer.window.height * layer.window.width <= kLargestMaxWindow) {
    return make_max_pool_op(std::move(info), layout, layer, spec);
  }
  using Dims = dnnl::memory::dims;
  const auto source = layout.describe(spec.x->shape, Format::Blocked);
  const auto destination = layout.describe(spec.y->shape, Format::Blocked);
  const auto algorithm = layer.kind == Pool::Max ? dnnl::algorithm::pooling_max
                                                 : dnnl::algorithm::pooling_avg_exclude_padding;
  const Dims strides = {layer.stride, layer.stride};
  const Dims window = {layer.window.height, layer.window.width};
  const Dims before = {spec.pads.top, spec.pads.left}, after = {spec.pads.bottom, spec.pads.right};
  const dnnl::pooling_forward::primitive_desc forward(
      {forward_kind(spec.mode), algorithm, source, destination, strides, window, before, after},
      user_scratchpad(), device.engine);
  dnnl::pooling_backward::primitive_desc backward;
  if (spec.mode == Mode::Training && spec.x->needs_gradient) {
    backward = {{algorithm, source, destination, strides, window, before, after},
                user_scratchpad(),
                device.engine,
                forward};
  }
  return std::make_unique<WindowOp<PoolFamily>>(std::move(info), device, layout, spec, forward,
                                                backward);
}

std::unique_ptr<Op> make_lrn_op(OpInfo info, const Device& device, const Layout& layout,
                                const Lrn& layer, const WindowSpec& spec) {
  constexpr auto kAcross = dnnl::algorithm::lrn_across_channels;
  const auto data = layout.describe(spec.x->shape, Format::Blocked);
  const int size = 2 * layer.radius + 1;
  const float alpha = static_cast<float>(layer.alpha * size);  // oneDNN divides by the window
  const float beta = static_cast<float>(layer.beta), bias = static_cast<float>(layer.bias);
  const dnnl::lrn_forward::primitive_desc forward(
      {forward_kind(spec.mode), kAcross, data, size, alpha, beta, bias}, user_scratchpad(),
      device.engine);
  dnnl::lrn_backward::primitive_desc backward;
  if (spec.mode == Mode::Training && spec.x->needs_gradient) {
    backward = {
        {kAcross, data, data, size, alpha, beta, bias}, user_scratchpad(), device.engine, forward};
  }
  return std::make_unique<WindowOp<LrnFamily>>(std::move(info), device, layout, spec, forward,
                                               backward);
}

}  // namespace lockstep::native
