// window_layers.cpp: layers that slide a window over the image.
//
// ATen pads both ends of an axis alike. Where the network does not, the image is padded first, as
// LibTorch programs do that take over TensorFlow's SAME.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>

#include "engine/torch/layers.h"
#include "engine/torch/torch_dtype.h"

namespace lockstep::libtorch {
namespace {

struct Padding2d {
  std::vector<int64_t> by_call;   // height, width: the same on both sides
  std::vector<int64_t> by_image;  // left, right, top, bottom; empty: nothing to do before
};

Padding2d padding_of(const Pads& pads) {
  if (pads.top == pads.bottom && pads.left == pads.right) return {{pads.top, pads.left}, {}};
  return {{0, 0}, {pads.left, pads.right, pads.top, pads.bottom}};
}

at::Tensor padded(const at::Tensor& x, const Padding2d& padding, double value) {
  return padding.by_image.empty() ? x : at::constant_pad_nd(x, padding.by_image, value);
}

std::string calls(const Padding2d& padding, const std::string& call) {
  return padding.by_image.empty() ? call : "at::constant_pad_nd, " + call;
}

struct Window {
  std::vector<int64_t> size, stride;
  Padding2d padding;
};

Window window_of(const Pool& layer, const Pads& pads) {
  return {
      {layer.window.height, layer.window.width}, {layer.stride, layer.stride}, padding_of(pads)};
}

LayerCode max_pool(const Window& window) {
  constexpr double kBelowAll = -std::numeric_limits<double>::infinity();
  return {calls(window.padding, "at::max_pool2d"), [window](const Inputs& x, Step&) {
            return at::max_pool2d(padded(x[0], window.padding, kBelowAll), window.size,
                                  window.stride, window.padding.by_call);
          }};
}

// Both ends padded alike: ATen leaves the padding out of the divisor by itself.
LayerCode average_pool(const Window& window) {
  return {"at::avg_pool2d", [window](const Inputs& x, Step&) {
            return at::avg_pool2d(x[0], window.size, window.stride, window.padding.by_call,
                                  /*ceil_mode=*/false, /*count_include_pad=*/false);
          }};
}

at::Tensor sums(const at::Tensor& x, const Window& window) {
  return at::avg_pool2d(padded(x, window.padding, 0), window.size, window.stride, {0, 0},
                        /*ceil_mode=*/false, /*count_include_pad=*/true, /*divisor_override=*/1);
}

// Otherwise sums are divided by how many pixels each window has inside the image.
LayerCode uneven_average_pool(const Window& window, const Place& place) {
  const Shape& in = place.input_shape();
  const at::Tensor shares = sums(at::ones({1, 1, in.height(), in.width()}), window)
                                .reciprocal()
                                .to(place.device, type_of(place.options.dtype));
  return {calls(window.padding, "at::avg_pool2d, at::mul"),
          [window, shares](const Inputs& x, Step&) { return sums(x[0], window) * shares; }};
}

}  // namespace

LayerCode make_code(const Conv& layer, const Place& place) {
  const ParameterId kernel = place.parameters.id_of(place.id, ParameterRole::Kernel);
  const ParameterId bias =
      layer.bias ? place.parameters.id_of(place.id, ParameterRole::Bias) : ParameterId{-1};
  const Padding2d padding = padding_of(place.node().pads);
  const int64_t groups = layer.depthwise ? place.input_shape().channels() : 1;
  return {calls(padding, "at::conv2d"),
          [=, &parameters = place.parameters, stride = layer.stride](const Inputs& x, Step&) {
            return at::conv2d(padded(x[0], padding, 0), parameters[kernel],
                              bias < 0 ? at::Tensor() : parameters[bias], {stride, stride},
                              padding.by_call, {1, 1}, groups);
          }};
}

LayerCode make_code(const Pool& layer, const Place& place) {
  const Window window = window_of(layer, place.node().pads);
  if (layer.kind == Pool::Max) return max_pool(window);
  return window.padding.by_image.empty() ? average_pool(window)
                                         : uneven_average_pool(window, place);
}

}  // namespace lockstep::libtorch
