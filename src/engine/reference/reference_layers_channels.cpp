// reference_layers_channels.cpp: layers that lay channels side by side: concatenation, padding.
//
// Both copy blocks of channels of an image into a part of the output's channels.
#include "engine/reference/reference_layers.h"

namespace lockstep::reference {
namespace {

class ChannelBlocks : public ReferenceLayer {
 public:
  ChannelBlocks(int64_t before, Place& place) : ReferenceLayer(place), before_(before) {}

  void forward(Step&) override {
    std::fill(output().value.begin(), output().value.end(), 0.0);
    for_each_pair(
        [&](Activation& in, int64_t i, int64_t out) { output().value[out] = in.value[i]; });
  }
  void backward(const Step&) override {
    for_each_pair(
        [&](Activation& in, int64_t i, int64_t out) { in.gradient[i] += output().gradient[out]; });
  }

 private:
  // visit(input, position in it, position in the output)
  template <typename Visit>
  void for_each_pair(Visit visit) {
    const int64_t pixels = output().shape.height() * output().shape.width();
    int64_t start = before_ * pixels;
    for (Activation* in : place_.inputs) {
      const int64_t size = in->shape.elements();
      for (int64_t image = 0; image < place_.batch; ++image) {
        for (int64_t i = 0; i < size; ++i) {
          visit(*in, image * size + i, image * output().shape.elements() + start + i);
        }
      }
      start += size;
    }
  }

  int64_t before_;  // channels of zeros
};

}  // namespace

std::unique_ptr<ReferenceLayer> make_layer(const Concat&, Place& place) {
  return std::make_unique<ChannelBlocks>(0, place);
}
std::unique_ptr<ReferenceLayer> make_layer(const PadChannels& spec, Place& place) {
  return std::make_unique<ChannelBlocks>(spec.before, place);
}

}  // namespace lockstep::reference
