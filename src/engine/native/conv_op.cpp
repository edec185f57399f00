#include "engine/native/conv_op.h"

#include <algorithm>

#include "engine/native/fold.h"
#include "engine/native/gradient_sum.h"
#include "tensor/memory.h"

namespace lockstep::native {
namespace {

ConvProblem problem_of(const Layout& layout, const ConvSpec& spec) {
  return {.layer = spec.layer,
          .pads = spec.pads,
          .input = spec.x->shape,
          .output = spec.y->shape,
          .batch = layout.batch,
          .bias = spec.bias.has_value() || spec.folded.has_value(),
          .inference = spec.mode == Mode::Inference,
          .relu_ceiling = is_bounded(spec.bounds) ? spec.bounds.high : -1,
          .source = layout.describe(spec.x->shape, spec.x->format),
          .destination = layout.describe(spec.y->shape, spec.y->format)};
}

class ConvOp : public Op {
 public:
  ConvOp(OpInfo info, const ConvContext& context, const ConvSpec& spec)
      : Op(std::move(info)),
        device_(context.device),
        layout_(context.layout),
        spec_(spec),
        problem_(problem_of(context.layout, spec)),
        stored_(make_direct_forward(device_, problem_)->weights()) {
    const auto chosen = [&](ConvDirection direction) {
      return make_pass(device_, {direction, problem_, stored_, spec.bounds}, context.chooser);
    };
    forward_ = chosen(ConvDirection::Forward);
    std::string kernels = forward_->kernel();
    if (spec.mode == Mode::Training) {
      if (spec.x->needs_gradient) {
        data_ = chosen(ConvDirection::BackwardData);
        kernels += " " + data_->kernel();
      }
      weight_gradient_ = chosen(ConvDirection::BackwardWeights);
      kernels += " " + weight_gradient_->kernel();
    }
    note_kernel(kernels);
  }

  std::vector<StoredParameter> parameters() const override {
    std::vector<StoredParameter> list = {{spec_.kernel, stored_, problem_.plain_weights()}};
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
    if (copies_weights()) return static_cast<int64_t>(data_->weights().get_size());
    return spec_.folded ? static_cast<int64_t>(stored_.get_size()) : 0;
  }

  void plan_forward(Planner& planner) override {
    planner.read(*spec_.x);
    planner.write(*spec_.y);
    forward_->plan(planner);
  }

  void plan_backward(Planner& planner) override {
    gradient_.plan(planner, *spec_.y, spec_.bounds);
    planner.read(*spec_.x);
    weight_gradient_->plan(planner);
    if (!data_) return;
    data_->plan(planner);
    dx_ = planner.reserve_like(*spec_.x);
    planner.contribute(*spec_.x, dx_);
  }

  void bind(const Addresses& addresses) override {
    float* weights = addresses.values(spec_.kernel);
    float* bias = spec_.bias ? addresses.values(*spec_.bias) : nullptr;
    float* x = is_image() ? nullptr : addresses.at(spec_.x->data);
    float* y = addresses.at(spec_.y->data);
    if (spec_.folded) {
      bind_folding(addresses, weights, bias);
      weights = own_weights_.floats().data();
      bias = own_bias_.data();
    }
    forward_->bind(addresses, {.x = x, .y = y, .weights = weights, .bias = bias});
    if (spec_.mode == Mode::Inference) return;
    gradient_.bind(addresses);
    weight_gradient_->bind(addresses,
                           {.x = x,
                            .y = gradient_.data(),
                            .weights = addresses.gradient(spec_.kernel),
                            .bias = spec_.bias ? addresses.gradient(*spec_.bias) : nullptr});
    if (data_) bind_backward_data(addresses, weights);
  }

  void forward(StepContext& step) override {
    if (stale_) fold();
    if (is_image()) use_image(const_cast<float*>(step.batch->images.data()));
    forward_->run();
  }

  void backward(StepContext&) override {
    gradient_.run();
    if (data_) data_->run();
    weight_gradient_->run();
  }

  void values_changed(ParameterId id) override {
    if (spec_.folded) stale_ = true;
    if (id == spec_.kernel && transpose_) transpose_.run();
  }
  void state_changed() override { stale_ = spec_.folded.has_value(); }

 private:
  bool is_image() const { return spec_.x->format == Format::Image; }
  bool copies_weights() const { return data_ && data_->weights() != stored_; }

  void bind_backward_data(const Addresses& addresses, float* weights) {
    if (copies_weights()) {
      const dnnl::memory::desc turned = data_->weights();
      own_weights_ = Memory(static_cast<int64_t>(turned.get_size()));
      transpose_ = make_reorder(device_, stored_, turned);
      transpose_.set(DNNL_ARG_FROM, stored_, weights);
      transpose_.set(DNNL_ARG_TO, turned, own_weights_.data());
      weights = own_weights_.floats().data();
    }
    data_->bind(
        addresses,
        {.x = addresses.at(dx_), .y = gradient_.data(), .weights = weights, .bias = nullptr});
  }

  // The batch may lie somewhere else each step.
  void use_image(float* images) {
    forward_->move_x(images);
    if (weight_gradient_) weight_gradient_->move_x(images);
  }

  void bind_folding(const Addresses& addresses, const float* weights, const float* bias) {
    arena_weights_ = weights;
    arena_bias_ = bias;
    beta_ = addresses.values(spec_.folded->beta);
    gamma_ = spec_.folded->gamma ? addresses.values(*spec_.folded->gamma) : nullptr;
    own_weights_ = Memory(static_cast<int64_t>(stored_.get_size()));
    own_bias_.resize(spec_.y->shape.channels());
    stale_ = true;
  }

  void fold() {
    std::vector<float> plain(problem_.plain_weights().get_size() / sizeof(float));
    reorder(device_, stored_, arena_weights_, problem_.plain_weights(), plain.data());
    for (size_t c = 0; c < own_bias_.size(); ++c) own_bias_[c] = arena_bias_ ? arena_bias_[c] : 0;
    fold_norm(spec_.folded->layer, *spec_.folded->state, gamma_, beta_, plain, own_bias_);
    reorder(device_, problem_.plain_weights(), plain.data(), stored_, own_weights_.data());
    stale_ = false;
  }

  const Device& device_;  // borrowed from the engine
  Layout layout_;
  ConvSpec spec_;
  ConvProblem problem_;
  std::unique_ptr<ConvPass> forward_, data_, weight_gradient_;  // the last two may be null
  dnnl::memory::desc stored_;
  GradientSum gradient_;
  View dx_;

  Memory own_weights_;   // turned for backward-data, or folded
  Primitive transpose_;  // from the arena's weights to the turned ones
  std::vector<float> own_bias_;
  const float *arena_weights_ = nullptr, *arena_bias_ = nullptr;
  const float *beta_ = nullptr, *gamma_ = nullptr;
  bool stale_ = false;  // folded weights are older than values or statistics
};

}  // namespace

std::unique_ptr<Op> make_conv_op(OpInfo info, const ConvContext& context, const ConvSpec& spec) {
  return std::make_unique<ConvOp>(std::move(info), context, spec);
}

}  // namespace lockstep::native
