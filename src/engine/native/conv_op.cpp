#include "engine/native/conv_op.h"

#include "engine/native/fold.h"
#include "engine/native/gradient_sum.h"
#include "engine/native/staged.h"
#include "tensor/memory.h"

namespace lockstep::native {
namespace {

class ConvOp : public Op {
 public:
  ConvOp(OpInfo info, const Device& device, const Layout& layout, const ConvSpec& spec)
      : Op(std::move(info)),
        device_(device),
        layout_(layout),
        spec_(spec),
        problem_{.layer = spec.layer,
                 .pads = spec.pads,
                 .input = spec.x->shape,
                 .output = spec.y->shape,
                 .batch = layout.batch,
                 .bias = spec.bias.has_value() || spec.folded.has_value(),
                 .inference = spec.mode == Mode::Inference,
                 .relu_ceiling = is_bounded(spec.bounds) ? spec.bounds.high : -1,
                 .source = layout.describe(spec.x->shape, spec.x->format),
                 .destination = layout.describe(spec.y->shape, spec.y->format)},
        forward_desc_(choose_forward(device.engine, problem_)) {
    source_ = Staged(device, problem_.source, forward_desc_.src_desc());
    destination_ = Staged(device, problem_.destination, forward_desc_.dst_desc());
    std::string kernels = forward_desc_.impl_info_str();
    if (spec.mode == Mode::Training) kernels += choose_backward();
    note_kernel(kernels);
  }

  std::vector<StoredParameter> parameters() const override {
    std::vector<StoredParameter> list = {
        {spec_.kernel, forward_desc_.weights_desc(), problem_.plain_weights()}};
    if (spec_.bias) list.push_back({*spec_.bias, problem_.bias_desc(), problem_.bias_desc()});
    if (spec_.folded) {
      const int64_t channels = spec_.y->shape.channels();
      list.push_back(stored_per_channel(layout_, spec_.folded->beta, channels));
      if (spec_.folded->gamma) {
        list.push_back(stored_per_channel(layout_, *spec_.folded->gamma, channels));
      }
    }
    return list;
  }
  int64_t own_bytes() const override {
    const int64_t weights = static_cast<int64_t>(forward_desc_.weights_desc().get_size());
    const int64_t backward = copies_weights() ? static_cast<int64_t>(data_weights_.get_size()) : 0;
    return backward + (spec_.folded ? weights : 0);
  }

  void plan_forward(Planner& planner) override {
    planner.read(*spec_.x);
    planner.write(*spec_.y);
    source_.plan(planner);
    destination_.plan(planner);
    forward_scratch_ = planner.reserve(scratch_bytes(forward_desc_));
  }

  void plan_backward(Planner& planner) override {
    gradient_.plan(planner, *spec_.y, spec_.bounds);
    planner.read(*spec_.x);
    for (Staged* staged : {&weights_source_, &weights_destination_, &weights_gradient_}) {
      staged->plan(planner);
    }
    weights_scratch_ = planner.reserve(scratch_bytes(weights_desc_));
    if (!spec_.x->needs_gradient) return;
    data_destination_.plan(planner);
    data_gradient_.plan(planner);
    data_scratch_ = planner.reserve(scratch_bytes(data_desc_));
    dx_ = planner.reserve_like(*spec_.x);
    planner.contribute(*spec_.x, dx_);
  }

  void bind(const Addresses& addresses) override {
    weights_ = addresses.values(spec_.kernel);
    bias_ = spec_.bias ? addresses.values(*spec_.bias) : nullptr;
    const float* arena_weights = weights_;
    if (spec_.folded) prepare_folding(addresses);
    bind_forward(addresses);
    if (spec_.mode == Mode::Inference) return;
    gradient_.bind(addresses);
    bind_backward_weights(addresses);
    if (spec_.x->needs_gradient) bind_backward_data(addresses, arena_weights);
  }

  void forward(StepContext& step) override {
    if (stale_) fold();
    if (spec_.x->format == Format::Image) use_image(step);
    source_.copy();
    forward_.run();
    destination_.copy();
  }

  void backward(StepContext&) override {
    gradient_.run();
    if (data_) {
      data_destination_.copy();
      data_.run();
      data_gradient_.copy();
    }
    weights_source_.copy();
    weights_destination_.copy();
    weight_gradient_.run();
    weights_gradient_.copy();
  }

  void values_changed(ParameterId id) override {
    if (spec_.folded) stale_ = true;
    if (id == spec_.kernel && transpose_) transpose_.run();
  }
  void state_changed() override { stale_ = spec_.folded.has_value(); }

 private:
  std::string choose_backward() {
    weights_desc_ = choose_backward_weights(device_.engine, problem_, forward_desc_);
    weights_source_ = Staged(device_, problem_.source, weights_desc_.src_desc());
    weights_destination_ = Staged(device_, problem_.destination, weights_desc_.diff_dst_desc());
    weights_gradient_ =
        Staged(device_, forward_desc_.weights_desc(), weights_desc_.diff_weights_desc());
    std::string kernels;
    if (spec_.x->needs_gradient) {
      data_desc_ = choose_backward_data(device_.engine, problem_, forward_desc_);
      data_destination_ = Staged(device_, problem_.destination, data_desc_.diff_dst_desc());
      data_gradient_ = Staged(device_, problem_.source, data_desc_.diff_src_desc());
      data_weights_ = data_desc_.weights_desc();
      kernels = std::string(" ") + data_desc_.impl_info_str();
    }
    return kernels + " " + weights_desc_.impl_info_str();
  }

  bool copies_weights() const {
    return data_desc_.get(true) && data_weights_ != forward_desc_.weights_desc();
  }

  void bind_forward(const Addresses& addresses) {
    const bool image = spec_.x->format == Format::Image;
    source_.bind_input(addresses, image ? nullptr : addresses.at(spec_.x->data));
    destination_.bind_output(addresses, addresses.at(spec_.y->data));
    forward_ = Primitive(device_, dnnl::convolution_forward(forward_desc_));
    forward_.set(DNNL_ARG_SRC, source_.wanted(), source_.data());
    forward_.set(DNNL_ARG_WEIGHTS, forward_desc_.weights_desc(), weights_);
    if (problem_.bias) forward_.set(DNNL_ARG_BIAS, problem_.bias_desc(), bias_);
    forward_.set(DNNL_ARG_DST, destination_.wanted(), destination_.data());
    forward_.set(DNNL_ARG_SCRATCHPAD, forward_desc_.scratchpad_desc(),
                 addresses.bytes(forward_scratch_));
  }

  void bind_backward_weights(const Addresses& addresses) {
    const bool image = spec_.x->format == Format::Image;
    weights_source_.bind_input(addresses, image ? nullptr : addresses.at(spec_.x->data));
    weights_destination_.bind_input(addresses, gradient_.data());
    weights_gradient_.bind_output(addresses, addresses.gradient(spec_.kernel));
    weight_gradient_ = Primitive(device_, dnnl::convolution_backward_weights(weights_desc_));
    weight_gradient_.set(DNNL_ARG_SRC, weights_source_.wanted(), weights_source_.data());
    weight_gradient_.set(DNNL_ARG_DIFF_DST, weights_destination_.wanted(),
                         weights_destination_.data());
    weight_gradient_.set(DNNL_ARG_DIFF_WEIGHTS, weights_gradient_.wanted(),
                         weights_gradient_.data());
    if (spec_.bias) {
      weight_gradient_.set(DNNL_ARG_DIFF_BIAS, problem_.bias_desc(),
                           addresses.gradient(*spec_.bias));
    }
    weight_gradient_.set(DNNL_ARG_SCRATCHPAD, weights_desc_.scratchpad_desc(),
                         addresses.bytes(weights_scratch_));
  }

  void bind_backward_data(const Addresses& addresses, const float* arena_weights) {
    float* weights = const_cast<float*>(arena_weights);
    if (copies_weights()) {
      own_weights_ = Memory(static_cast<int64_t>(data_weights_.get_size()));
      transpose_ = make_reorder(device_, forward_desc_.weights_desc(), data_weights_);
      transpose_.set(DNNL_ARG_FROM, forward_desc_.weights_desc(), weights);
      transpose_.set(DNNL_ARG_TO, data_weights_, own_weights_.data());
      weights = own_weights_.floats().data();
    }
    data_destination_.bind_input(addresses, gradient_.data());
    data_gradient_.bind_output(addresses, addresses.at(dx_));
    data_ = Primitive(device_, dnnl::convolution_backward_data(data_desc_));
    data_.set(DNNL_ARG_DIFF_DST, data_destination_.wanted(), data_destination_.data());
    data_.set(DNNL_ARG_WEIGHTS, data_weights_, weights);
    data_.set(DNNL_ARG_DIFF_SRC, data_gradient_.wanted(), data_gradient_.data());
    data_.set(DNNL_ARG_SCRATCHPAD, data_desc_.scratchpad_desc(), addresses.bytes(data_scratch_));
  }

  // The batch may lie somewhere else each step.
  void use_image(const StepContext& step) {
    float* images = const_cast<float*>(step.batch->images.data());
    source_.move_home(images);
    forward_.move(DNNL_ARG_SRC, source_.data());
    if (spec_.mode == Mode::Inference) return;
    weights_source_.move_home(images);
    weight_gradient_.move(DNNL_ARG_SRC, weights_source_.data());
  }

  void prepare_folding(const Addresses& addresses) {
    arena_weights_ = weights_;
    arena_bias_ = bias_;
    beta_ = addresses.values(spec_.folded->beta);
    gamma_ = spec_.folded->gamma ? addresses.values(*spec_.folded->gamma) : nullptr;
    own_weights_ = Memory(static_cast<int64_t>(forward_desc_.weights_desc().get_size()));
    own_bias_.resize(spec_.y->shape.channels());
    weights_ = own_weights_.floats().data();
    bias_ = own_bias_.data();
    stale_ = true;
  }

  void fold() {
    std::vector<float> plain(problem_.plain_weights().get_size() / sizeof(float));
    reorder(device_, forward_desc_.weights_desc(), arena_weights_, problem_.plain_weights(),
            plain.data());
    for (size_t c = 0; c < own_bias_.size(); ++c) own_bias_[c] = arena_bias_ ? arena_bias_[c] : 0;
    fold_norm(spec_.folded->layer, *spec_.folded->state, gamma_, beta_, plain, own_bias_);
    reorder(device_, problem_.plain_weights(), plain.data(), forward_desc_.weights_desc(),
            weights_);
    stale_ = false;
  }

  const Device& device_;  // borrowed from the engine
  Layout layout_;
  ConvSpec spec_;
  ConvProblem problem_;
  ConvForward forward_desc_;
  ConvBackwardData data_desc_;
  ConvBackwardWeights weights_desc_;
  dnnl::memory::desc data_weights_;

  Staged source_, destination_;                                    // of forward
  Staged weights_source_, weights_destination_, weights_gradient_;  // of backward-weights
  Staged data_destination_, data_gradient_;                        // of backward-data
  BufferId forward_scratch_ = kNoBuffer, weights_scratch_ = kNoBuffer, data_scratch_ = kNoBuffer;
  GradientSum gradient_;
  View dx_;

  Primitive forward_, data_, weight_gradient_, transpose_;
  float *weights_ = nullptr, *bias_ = nullptr;
  Memory own_weights_;  // transposed for backward-data, or folded
  std::vector<float> own_bias_;
  const float *arena_weights_ = nullptr, *arena_bias_ = nullptr;
  const float *beta_ = nullptr, *gamma_ = nullptr;
  bool stale_ = false;  // folded weights are older than values or statistics
};

}  // namespace

std::unique_ptr<Op> make_conv_op(OpInfo info, const Device& device, const Layout& layout,
                                 const ConvSpec& spec) {
  return std::make_unique<ConvOp>(std::move(info), device, layout, spec);
}

}  // namespace lockstep::native
