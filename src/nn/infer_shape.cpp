#include "nn/infer_shape.h"

#include <algorithm>

namespace lockstep {
namespace {

struct Side {
  int64_t output;
  int before, after;
};

// One spatial axis of a sliding window.
Side slide(int64_t input, int window, int stride, Padding padding) {
  if (padding == Padding::SameResnet && stride > 1) {
    const int before = (window - 1) / 2, after = window - 1 - before;
    return {(input - 1) / stride + 1, before, after};
  }
  if (padding == Padding::Valid) return {(input - window) / stride + 1, 0, 0};
  const int64_t output = (input + stride - 1) / stride;
  const int total = static_cast<int>(std::max<int64_t>((output - 1) * stride + window - input, 0));
  return {output, total / 2, total - total / 2};
}

struct Infer {
  const std::string& name;
  std::span<const Shape> inputs;

  void need(bool fits, const std::string& why) const {
    if (!fits) throw MisfitError(name, why);
  }
  const Shape& image_input() const {
    need_place(one_input());
    return inputs[0];
  }
  void need_place(const Shape& input) const {
    need(input.rank() == 3,
         "its input has no height and width; put it before global_average_pool or dense");
  }
  const Shape& one_input() const {
    need(inputs.size() == 1, "it needs one input");
    return inputs[0];
  }
  Inferred same_as_input() const { return {one_input(), {}}; }

  Inferred window(int64_t channels, Extent extent, int stride, Padding padding) const {
    const Shape& in = image_input();
    if (padding == Padding::Valid) {
      need(in.height() >= extent.height && in.width() >= extent.width,
           fmt::format("a {}x{} window is larger than its input {}", extent.height, extent.width,
                       in.text()));
    }
    const Side h = slide(in.height(), extent.height, stride, padding);
    const Side w = slide(in.width(), extent.width, stride, padding);
    return {{channels, h.output, w.output}, {h.before, h.after, w.before, w.after}};
  }

  Inferred operator()(const Image&) const { throw Error("a network has one image"); }
  Inferred operator()(const Conv& conv) const {
    const int64_t channels = image_input().channels();
    need(conv.depthwise || conv.filters > 0, "it has no filters");
    return window(conv.depthwise ? channels : conv.filters, conv.kernel, conv.stride, conv.padding);
  }
  Inferred operator()(const Pool& pool) const {
    return window(image_input().channels(), pool.window, pool.stride, pool.padding);
  }
  Inferred operator()(const Dense& dense) const {
    one_input();
    need(dense.units > 0, "it has no units");
    return {{dense.units}, {}};
  }
  Inferred operator()(const BatchNorm&) const { return {image_input(), {}}; }
  Inferred operator()(const Lrn&) const { return {image_input(), {}}; }
  Inferred operator()(const Relu&) const { return same_as_input(); }
  Inferred operator()(const Dropout&) const { return same_as_input(); }
  Inferred operator()(const Add&) const {
    need(inputs.size() == 2, "it needs two inputs");
    need(inputs[0] == inputs[1], fmt::format("its branches give {} and {}; both must be the same",
                                             inputs[0].text(), inputs[1].text()));
    return {inputs[0], {}};
  }
  Inferred operator()(const Concat&) const {
    need(!inputs.empty(), "it needs at least one input");
    int64_t channels = 0;
    for (const Shape& in : inputs) {
      need_place(in);
      need(in.height() == inputs[0].height() && in.width() == inputs[0].width(),
           fmt::format("its branches give {} and {}; heights and widths must be the same",
                       inputs[0].text(), in.text()));
      channels += in.channels();
    }
    return {{channels, inputs[0].height(), inputs[0].width()}, {}};
  }
  Inferred operator()(const GlobalAveragePool&) const { return {{image_input().channels()}, {}}; }
  Inferred operator()(const PadChannels& pad) const {
    const Shape& in = image_input();
    return {{in.channels() + pad.before + pad.after, in.height(), in.width()}, {}};
  }
  Inferred operator()(const SoftmaxLoss&) const {
    need(one_input().rank() == 1, "it needs logits");
    return {{1}, {}};
  }
};

}  // namespace

Inferred infer_shape(const std::string& name, const Layer& layer, std::span<const Shape> inputs) {
  return std::visit(Infer{name, inputs}, layer);
}

}  // namespace lockstep
