// reference_layers_pool.cpp: maximum and average over windows, and over the whole image.
//
// Padding takes no part: it is below every maximum and not counted in an average.
#include "engine/reference/reference_layers.h"

namespace lockstep::reference {
namespace {

class Pooling : public ReferenceLayer {
 public:
  Pooling(const Pool& spec, Place& place) : ReferenceLayer(place), spec_(spec) {}

  void forward(Step&) override {
    const std::vector<double>& in = input().value;
    for_each_window([&](int64_t out, const std::vector<int64_t>& window) {
      double sum = 0;
      for (const int64_t i : window) sum += in[i];
      output().value[out] =
          spec_.kind == Pool::Max ? in[first_maximum(window)] : sum / window.size();
    });
  }

  void backward(const Step&) override {
    std::vector<double>& in_gradient = input_gradient().gradient;
    for_each_window([&](int64_t out, const std::vector<int64_t>& window) {
      const double gradient = output().gradient[out];
      if (spec_.kind == Pool::Max) {
        in_gradient[first_maximum(window)] += gradient;
      } else {
        for (const int64_t i : window) in_gradient[i] += gradient / window.size();
      }
    });
  }

 private:
  int64_t first_maximum(const std::vector<int64_t>& window) const {
    int64_t best = window[0];
    for (const int64_t i : window) {
      if (input().value[i] > input().value[best]) best = i;
    }
    return best;
  }

  // visit(output position, input positions of its window by row and column, padding left out)
  template <typename Visit>
  void for_each_window(Visit visit) const {
    const Shape &in = input().shape, &out = place_.output.shape;
    int64_t position = 0;
    for (int64_t plane = 0; plane < place_.batch * in.channels(); ++plane) {
      for (int64_t row = 0; row < out.height(); ++row) {
        for (int64_t column = 0; column < out.width(); ++column) {
          visit(position++, window_at(plane, row, column));
        }
      }
    }
  }

  std::vector<int64_t> window_at(int64_t plane, int64_t row, int64_t column) const {
    const Shape& in = input().shape;
    std::vector<int64_t> window;
    for (int64_t y = 0; y < spec_.window.height; ++y) {
      const int64_t in_row = row * spec_.stride - place_.node.pads.top + y;
      if (in_row < 0 || in_row >= in.height()) continue;
      for (int64_t x = 0; x < spec_.window.width; ++x) {
        const int64_t in_column = column * spec_.stride - place_.node.pads.left + x;
        if (in_column < 0 || in_column >= in.width()) continue;
        window.push_back((plane * in.height() + in_row) * in.width() + in_column);
      }
    }
    return window;
  }

  Pool spec_;
};

class ImageAverage : public ReferenceLayer {
 public:
  using ReferenceLayer::ReferenceLayer;

  void forward(Step&) override {
    const int64_t pixels = input().shape.height() * input().shape.width();
    for (size_t plane = 0; plane < output().value.size(); ++plane) {
      double sum = 0;
      for (int64_t i = 0; i < pixels; ++i) sum += input().value[plane * pixels + i];
      output().value[plane] = sum / pixels;
    }
  }
  void backward(const Step&) override {
    const int64_t pixels = input().shape.height() * input().shape.width();
    for (size_t i = 0; i < input().value.size(); ++i) {
      input_gradient().gradient[i] += output().gradient[i / pixels] / pixels;
    }
  }
};

}  // namespace

std::unique_ptr<ReferenceLayer> make_layer(const Pool& spec, Place& place) {
  return std::make_unique<Pooling>(spec, place);
}
std::unique_ptr<ReferenceLayer> make_layer(const GlobalAveragePool&, Place& place) {
  return std::make_unique<ImageAverage>(place);
}

}  // namespace lockstep::reference
