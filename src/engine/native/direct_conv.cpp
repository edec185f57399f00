// direct_conv.cpp: the three directions of a convolution by oneDNN's kernels.
#include "engine/native/conv_pass.h"
#include "engine/native/staged.h"

namespace lockstep::native {
namespace {

class DirectForward : public ConvPass {
 public:
  DirectForward(const Device& device, const ConvProblem& problem)
      : device_(device),
        desc_(choose_forward(device.engine, problem)),
        bias_(problem.bias_desc()),
        x_(device, problem.source, desc_.src_desc()),
        y_(device, problem.destination, desc_.dst_desc()) {}

  std::string kernel() const override { return desc_.impl_info_str(); }
  dnnl::memory::desc weights() const override { return desc_.weights_desc(); }
  void plan(Planner& planner) override {
    x_.plan(planner);
    y_.plan(planner);
    scratch_ = planner.reserve(scratch_bytes(desc_));
  }
  void bind(const Addresses& addresses, const ConvTensors& tensors) override {
    x_.bind_input(addresses, tensors.x);
    y_.bind_output(addresses, tensors.y);
    run_ = Primitive(device_, dnnl::convolution_forward(desc_));
    run_.set(DNNL_ARG_SRC, x_.wanted(), x_.data());
    run_.set(DNNL_ARG_WEIGHTS, desc_.weights_desc(), tensors.weights);
    if (tensors.bias) run_.set(DNNL_ARG_BIAS, bias_, tensors.bias);
    run_.set(DNNL_ARG_DST, y_.wanted(), y_.data());
    run_.set(DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc(), addresses.bytes(scratch_));
  }
  void run() override {
    x_.copy();
    run_.run();
    y_.copy();
  }
  void move_x(float* x) override {
    x_.move_home(x);
    run_.move(DNNL_ARG_SRC, x_.data());
  }

 private:
  const Device& device_;  // borrowed from the engine
  ConvForward desc_;
  dnnl::memory::desc bias_;
  Staged x_, y_;
  BufferId scratch_ = kNoBuffer;
  Primitive run_;
};

class DirectBackwardData : public ConvPass {
 public:
  DirectBackwardData(const Device& device, const ConvProblem& problem)
      : device_(device),
        desc_(choose_backward_data(device.engine, problem, choose_forward(device.engine, problem))),
        x_(device, problem.source, desc_.diff_src_desc()),
        y_(device, problem.destination, desc_.diff_dst_desc()) {}

  std::string kernel() const override { return desc_.impl_info_str(); }
  dnnl::memory::desc weights() const override { return desc_.weights_desc(); }
  void plan(Planner& planner) override {
    x_.plan(planner);
    y_.plan(planner);
    scratch_ = planner.reserve(scratch_bytes(desc_));
  }
  void bind(const Addresses& addresses, const ConvTensors& tensors) override {
    y_.bind_input(addresses, tensors.y);
    x_.bind_output(addresses, tensors.x);
    run_ = Primitive(device_, dnnl::convolution_backward_data(desc_));
    run_.set(DNNL_ARG_DIFF_DST, y_.wanted(), y_.data());
    run_.set(DNNL_ARG_WEIGHTS, desc_.weights_desc(), tensors.weights);
    run_.set(DNNL_ARG_DIFF_SRC, x_.wanted(), x_.data());
    run_.set(DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc(), addresses.bytes(scratch_));
  }
  void run() override {
    y_.copy();
    run_.run();
    x_.copy();
  }
  void move_x(float*) override {}  // gradients never leave the plan

 private:
  const Device& device_;  // borrowed from the engine
  ConvBackwardData desc_;
  Staged x_, y_;
  BufferId scratch_ = kNoBuffer;
  Primitive run_;
};

class DirectBackwardWeights : public ConvPass {
 public:
  DirectBackwardWeights(const Device& device, const ConvProblem& problem,
                        const dnnl::memory::desc& stored)
      : device_(device),
        desc_(choose_backward_weights(device.engine, problem,
                                      choose_forward(device.engine, problem))),
        bias_(problem.bias_desc()),
        x_(device, problem.source, desc_.src_desc()),
        y_(device, problem.destination, desc_.diff_dst_desc()),
        weights_(device, stored, desc_.diff_weights_desc()) {}

  std::string kernel() const override { return desc_.impl_info_str(); }
  dnnl::memory::desc weights() const override { return weights_.home(); }
  void plan(Planner& planner) override {
    for (Staged* staged : {&x_, &y_, &weights_}) staged->plan(planner);
    scratch_ = planner.reserve(scratch_bytes(desc_));
  }
  void bind(const Addresses& addresses, const ConvTensors& tensors) override {
    x_.bind_input(addresses, tensors.x);
    y_.bind_input(addresses, tensors.y);
    weights_.bind_output(addresses, tensors.weights);
    run_ = Primitive(device_, dnnl::convolution_backward_weights(desc_));
    run_.set(DNNL_ARG_SRC, x_.wanted(), x_.data());
    run_.set(DNNL_ARG_DIFF_DST, y_.wanted(), y_.data());
    run_.set(DNNL_ARG_DIFF_WEIGHTS, weights_.wanted(), weights_.data());
    if (tensors.bias) run_.set(DNNL_ARG_DIFF_BIAS, bias_, tensors.bias);
    run_.set(DNNL_ARG_SCRATCHPAD, desc_.scratchpad_desc(), addresses.bytes(scratch_));
  }
  void run() override {
    x_.copy();
    y_.copy();
    run_.run();
    weights_.copy();
  }
  void move_x(float* x) override {
    x_.move_home(x);
    run_.move(DNNL_ARG_SRC, x_.data());
  }

 private:
  const Device& device_;  // borrowed from the engine
  ConvBackwardWeights desc_;
  dnnl::memory::desc bias_;
  Staged x_, y_, weights_;
  BufferId scratch_ = kNoBuffer;
  Primitive run_;
};

}  // namespace

std::unique_ptr<ConvPass> make_direct_forward(const Device& device, const ConvProblem& problem) {
  return std::make_unique<DirectForward>(device, problem);
}
std::unique_ptr<ConvPass> make_direct_backward_data(const Device& device,
                                                    const ConvProblem& problem) {
  return std::make_unique<DirectBackwardData>(device, problem);
}
std::unique_ptr<ConvPass> make_direct_backward_weights(const Device& device,
                                                       const ConvProblem& problem,
                                                       const dnnl::memory::desc& stored) {
  return std::make_unique<DirectBackwardWeights>(device, problem, stored);
}

}  // namespace lockstep::native
