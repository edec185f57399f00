#include "engine/native/dense_op.h"

#include "engine/native/gradient_sum.h"

namespace lockstep::native {
namespace {

using Desc = dnnl::memory::desc;
using Tag = dnnl::memory::format_tag;

class DenseOp : public Op {
 public:
  DenseOp(OpInfo info, const Device& device, const Layout& layout, const DenseSpec& spec)
      : Op(std::move(info)),
        device_(device),
        spec_(spec),
        source_(layout.describe(spec.x->shape, Format::Flat)),
        destination_(layout.describe(spec.y->shape, Format::Flat)),
        weights_({spec.y->shape.elements(), spec.x->shape.elements()}, kFloat, Tag::oi),
        bias_({spec.y->shape.elements()}, kFloat, Tag::x) {
    const auto kind = spec.mode == Mode::Inference ? dnnl::prop_kind::forward_inference
                                                   : dnnl::prop_kind::forward_training;
    forward_desc_ = {{kind, source_, weights_, bias_, destination_}, attributes(), device.engine};
    std::string kernels = forward_desc_.impl_info_str();
    if (spec.mode == Mode::Training) {
      weights_desc_ = {{source_, weights_, bias_, destination_},
                       user_scratchpad(),
                       device.engine,
                       forward_desc_};
      data_desc_ = {
          {source_, weights_, destination_}, user_scratchpad(), device.engine, forward_desc_};
      kernels +=
          std::string(" ") + data_desc_.impl_info_str() + " " + weights_desc_.impl_info_str();
    }
    note_kernel(kernels);
  }

  std::vector<StoredParameter> parameters() const override {
    return {{spec_.kernel, weights_, weights_}, {spec_.bias, bias_, bias_}};
  }

  void plan_forward(Planner& planner) override {
    planner.read(*spec_.x);
    planner.write(*spec_.y);
    forward_scratch_ = planner.reserve(scratch_bytes(forward_desc_));
  }
  void plan_backward(Planner& planner) override {
    gradient_.plan(planner, *spec_.y, spec_.bounds);
    planner.read(*spec_.x);
    weights_scratch_ = planner.reserve(scratch_bytes(weights_desc_));
    if (!spec_.x->needs_gradient) return;
    data_scratch_ = planner.reserve(scratch_bytes(data_desc_));
    dx_ = planner.reserve_like(*spec_.x);
    planner.contribute(*spec_.x, dx_);
  }

  void bind(const Addresses& addresses) override {
    float* x = addresses.at(spec_.x->data);
    forward_ = Primitive(device_, dnnl::inner_product_forward(forward_desc_));
    forward_.set(DNNL_ARG_SRC, source_, x);
    forward_.set(DNNL_ARG_WEIGHTS, weights_, addresses.values(spec_.kernel));
    forward_.set(DNNL_ARG_BIAS, bias_, addresses.values(spec_.bias));
    forward_.set(DNNL_ARG_DST, destination_, addresses.at(spec_.y->data));
    forward_.set(DNNL_ARG_SCRATCHPAD, forward_desc_.scratchpad_desc(),
                 addresses.bytes(forward_scratch_));
    if (spec_.mode == Mode::Inference) return;
    gradient_.bind(addresses);
    weight_gradient_ = Primitive(device_, dnnl::inner_product_backward_weights(weights_desc_));
    weight_gradient_.set(DNNL_ARG_SRC, source_, x);
    weight_gradient_.set(DNNL_ARG_DIFF_DST, destination_, gradient_.data());
    weight_gradient_.set(DNNL_ARG_DIFF_WEIGHTS, weights_, addresses.gradient(spec_.kernel));
    weight_gradient_.set(DNNL_ARG_DIFF_BIAS, bias_, addresses.gradient(spec_.bias));
    weight_gradient_.set(DNNL_ARG_SCRATCHPAD, weights_desc_.scratchpad_desc(),
                         addresses.bytes(weights_scratch_));
    if (!spec_.x->needs_gradient) return;
    data_ = Primitive(device_, dnnl::inner_product_backward_data(data_desc_));
    data_.set(DNNL_ARG_DIFF_DST, destination_, gradient_.data());
    data_.set(DNNL_ARG_WEIGHTS, weights_, addresses.values(spec_.kernel));
    data_.set(DNNL_ARG_DIFF_SRC, source_, addresses.at(dx_));
    data_.set(DNNL_ARG_SCRATCHPAD, data_desc_.scratchpad_desc(), addresses.bytes(data_scratch_));
  }

  void forward(StepContext&) override { forward_.run(); }
  void backward(StepContext&) override {
    gradient_.run();
    if (data_) data_.run();
    weight_gradient_.run();
  }

 private:
  dnnl::primitive_attr attributes() const {
    return is_bounded(spec_.bounds) ? followed_by_relu(spec_.bounds.high) : user_scratchpad();
  }

  const Device& device_;  // borrowed from the engine
  DenseSpec spec_;
  Desc source_, destination_, weights_, bias_;
  dnnl::inner_product_forward::primitive_desc forward_desc_;
  dnnl::inner_product_backward_data::primitive_desc data_desc_;
  dnnl::inner_product_backward_weights::primitive_desc weights_desc_;
  BufferId forward_scratch_ = kNoBuffer, data_scratch_ = kNoBuffer, weights_scratch_ = kNoBuffer;
  GradientSum gradient_;
  View dx_;
  Primitive forward_, data_, weight_gradient_;
};

}  // namespace

std::unique_ptr<Op> make_dense_op(OpInfo info, const Device& device, const Layout& layout,
                                  const DenseSpec& spec) {
  return std::make_unique<DenseOp>(std::move(info), device, layout, spec);
}

}  // namespace lockstep::native
