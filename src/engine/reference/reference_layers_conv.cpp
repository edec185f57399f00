// reference_layers_conv.cpp: convolution, full and depthwise, and the dense layer.
//
// Each is a sum of products input x weight. One function lists the products; forward adds them up,
// and backward hands the output's gradient to both factors of each.
#include "engine/reference/reference_layers.h"

namespace lockstep::reference {
namespace {

struct Product {
  int64_t output, input, weight;  // positions in the plain arrays of the batch and of the kernel
};

class SumOfProducts : public ReferenceLayer {
 public:
  using ReferenceLayer::ReferenceLayer;

 protected:
  template <typename ForEachProduct>
  void add_up(const ForEachProduct& for_each_product) {
    std::vector<double>& out = output().value;
    const std::vector<double>& in = input().value;
    const std::span<const float> kernel = place_.parameters[0].value;
    for (size_t i = 0; i < out.size(); ++i) out[i] = has_bias() ? bias()[channel_of(i)] : 0.0;
    for_each_product([&](Product p) { out[p.output] += in[p.input] * kernel[p.weight]; });
  }

  template <typename ForEachProduct>
  void hand_back(const ForEachProduct& for_each_product) {
    const std::vector<double>& in = input().value;
    const std::vector<double>& out_gradient = output().gradient;
    std::vector<double>& in_gradient = input_gradient().gradient;
    const std::span<const float> kernel = place_.parameters[0].value;
    std::vector<double> kernel_gradient(kernel.size());
    for_each_product([&](Product p) {
      in_gradient[p.input] += out_gradient[p.output] * kernel[p.weight];
      kernel_gradient[p.weight] += out_gradient[p.output] * in[p.input];
    });
    std::copy(kernel_gradient.begin(), kernel_gradient.end(),
              place_.parameters[0].gradient.begin());
    if (has_bias()) hand_back_to_bias();
  }

 private:
  bool has_bias() const { return place_.parameters.size() == 2; }
  std::span<const float> bias() const { return place_.parameters[1].value; }
  int64_t channel_of(int64_t element) const {
    const Shape& shape = place_.output.shape;
    return element / (shape.height() * shape.width()) % shape.channels();
  }
  void hand_back_to_bias() {
    std::vector<double> sums(bias().size());
    const std::vector<double>& out_gradient = output().gradient;
    for (size_t i = 0; i < out_gradient.size(); ++i) sums[channel_of(i)] += out_gradient[i];
    std::copy(sums.begin(), sums.end(), place_.parameters[1].gradient.begin());
  }
};

class Convolution : public SumOfProducts {
 public:
  Convolution(const Conv& spec, Place& place) : SumOfProducts(place), spec_(spec) {}

  void forward(Step&) override {
    add_up([this](auto visit) { for_each_product(visit); });
  }
  void backward(const Step&) override {
    hand_back([this](auto visit) { for_each_product(visit); });
  }

 private:
  template <typename Visit>
  void for_each_product(Visit visit) const {
    const Shape& out = place_.output.shape;
    int64_t output = 0;
    for (int64_t image = 0; image < place_.batch; ++image) {
      for (int64_t filter = 0; filter < out.channels(); ++filter) {
        for (int64_t row = 0; row < out.height(); ++row) {
          for (int64_t column = 0; column < out.width(); ++column) {
            for_one_output(image, filter, row, column, [&](int64_t in, int64_t weight) {
              visit(Product{output, in, weight});
            });
            ++output;
          }
        }
      }
    }
  }

  template <typename Visit>
  void for_one_output(int64_t image, int64_t filter, int64_t row, int64_t column,
                      Visit visit) const {
    const Shape& in = input().shape;
    const auto [kernel_height, kernel_width] = spec_.kernel;
    const int64_t channels = spec_.depthwise ? 1 : in.channels();
    const int64_t first_channel = spec_.depthwise ? filter : 0;
    for (int64_t c = 0; c < channels; ++c) {
      for (int64_t y = 0; y < kernel_height; ++y) {
        const int64_t in_row = row * spec_.stride - place_.node.pads.top + y;
        if (in_row < 0 || in_row >= in.height()) continue;
        for (int64_t x = 0; x < kernel_width; ++x) {
          const int64_t in_column = column * spec_.stride - place_.node.pads.left + x;
          if (in_column < 0 || in_column >= in.width()) continue;
          const int64_t plane = image * in.channels() + first_channel + c;
          visit((plane * in.height() + in_row) * in.width() + in_column,
                ((filter * channels + c) * kernel_height + y) * kernel_width + x);
        }
      }
    }
  }

  Conv spec_;
};

class FullyConnected : public SumOfProducts {
 public:
  using SumOfProducts::SumOfProducts;

  void forward(Step&) override {
    add_up([this](auto visit) { for_each_product(visit); });
  }
  void backward(const Step&) override {
    hand_back([this](auto visit) { for_each_product(visit); });
  }

 private:
  template <typename Visit>
  void for_each_product(Visit visit) const {
    const int64_t units = place_.output.shape.elements(), inputs = input().shape.elements();
    for (int64_t image = 0; image < place_.batch; ++image) {
      for (int64_t unit = 0; unit < units; ++unit) {
        for (int64_t i = 0; i < inputs; ++i) {
          visit(Product{image * units + unit, image * inputs + i, unit * inputs + i});
        }
      }
    }
  }
};

}  // namespace

std::unique_ptr<ReferenceLayer> make_layer(const Conv& spec, Place& place) {
  return std::make_unique<Convolution>(spec, place);
}
std::unique_ptr<ReferenceLayer> make_layer(const Dense&, Place& place) {
  return std::make_unique<FullyConnected>(place);
}

}  // namespace lockstep::reference
