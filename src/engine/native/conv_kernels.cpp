#include "engine/native/conv_kernels.h"

#include "base/error.h"
#include "engine/native/onednn.h"

namespace lockstep::native {
namespace {

using Desc = dnnl::memory::desc;
using Dims = dnnl::memory::dims;
constexpr auto kAny = dnnl::memory::format_tag::any;
constexpr auto kDirect = dnnl::algorithm::convolution_direct;

struct Window {
  Dims strides, before, after;
};

Window window_of(const ConvProblem& problem) {
  const Pads& pads = problem.pads;
  return {{problem.layer.stride, problem.layer.stride},
          {pads.top, pads.left},
          {pads.bottom, pads.right}};
}

Desc any_like(const Desc& desc) { return {desc.dims(), kFloat, kAny}; }

dnnl::primitive_attr forward_attributes(const ConvProblem& problem) {
  return problem.relu_ceiling < 0 ? user_scratchpad() : followed_by_relu(problem.relu_ceiling);
}

// The first candidate that a generated kernel serves, else the first that works at all.
template <typename PrimitiveDesc, typename... Candidates>
PrimitiveDesc first_fast(const Candidates&... candidates) {
  PrimitiveDesc chosen;
  const auto consider = [&](const auto& make) {
    if (chosen.get(true) && is_fast(chosen.impl_info_str())) return;
    PrimitiveDesc next = make();
    if (!next.get(true)) return;
    if (!chosen.get(true) || is_fast(next.impl_info_str())) chosen = next;
  };
  (consider(candidates), ...);
  if (!chosen.get(true)) throw Error("oneDNN has no kernel for a convolution of this network");
  return chosen;
}

}  // namespace

Dims ConvProblem::weight_dims() const {
  const int64_t height = layer.kernel.height, width = layer.kernel.width;
  if (layer.depthwise) return {input.channels(), 1, 1, height, width};
  return {output.channels(), input.channels(), height, width};
}
Desc ConvProblem::any_weights() const { return {weight_dims(), kFloat, kAny}; }
Desc ConvProblem::plain_weights() const {
  using Tag = dnnl::memory::format_tag;
  return {weight_dims(), kFloat, layer.depthwise ? Tag::goihw : Tag::oihw};
}
Desc ConvProblem::bias_desc() const {
  return {{output.channels()}, kFloat, dnnl::memory::format_tag::x};
}

ConvForward choose_forward(const dnnl::engine& engine, const ConvProblem& problem) {
  const auto kind =
      problem.inference ? dnnl::prop_kind::forward_inference : dnnl::prop_kind::forward_training;
  const auto [strides, before, after] = window_of(problem);
  const auto make = [&](const Desc& source, const Desc& destination) {
    using Op = dnnl::convolution_forward::desc;
    const Op op = problem.bias ? Op(kind, kDirect, source, problem.any_weights(),
                                    problem.bias_desc(), destination, strides, before, after)
                               : Op(kind, kDirect, source, problem.any_weights(), destination,
                                    strides, before, after);
    return ConvForward(op, forward_attributes(problem), engine, true);
  };
  const Desc &source = problem.source, &destination = problem.destination;
  return first_fast<ConvForward>([&] { return make(source, destination); },
                                 [&] { return make(any_like(source), destination); },
                                 [&] { return make(any_like(source), any_like(destination)); });
}

ConvBackwardData choose_backward_data(const dnnl::engine& engine, const ConvProblem& problem,
                                      const ConvForward& forward) {
  const auto [strides, before, after] = window_of(problem);
  const auto make = [&](const Desc& source, const Desc& destination) {
    const dnnl::convolution_backward_data::desc op(kDirect, source, problem.any_weights(),
                                                   destination, strides, before, after);
    return ConvBackwardData(op, user_scratchpad(), engine, forward, true);
  };
  const Desc &source = problem.source, &destination = problem.destination;
  return first_fast<ConvBackwardData>(
      [&] { return make(source, destination); },
      [&] { return make(any_like(source), any_like(destination)); });
}

ConvBackwardWeights choose_backward_weights(const dnnl::engine& engine, const ConvProblem& problem,
                                            const ConvForward& forward) {
  const auto [strides, before, after] = window_of(problem);
  const auto make = [&](const Desc& source, const Desc& weights, const Desc& destination) {
    using Op = dnnl::convolution_backward_weights::desc;
    const Op op = problem.bias ? Op(kDirect, source, weights, problem.bias_desc(), destination,
                                    strides, before, after)
                               : Op(kDirect, source, weights, destination, strides, before, after);
    return ConvBackwardWeights(op, user_scratchpad(), engine, forward, true);
  };
  const Desc &source = problem.source, &destination = problem.destination;
  const Desc stored = forward.weights_desc();
  return first_fast<ConvBackwardWeights>(
      [&] { return make(source, stored, destination); },
      [&] { return make(any_like(source), stored, destination); },
      [&] { return make(any_like(source), problem.any_weights(), any_like(destination)); });
}

}  // namespace lockstep::native
