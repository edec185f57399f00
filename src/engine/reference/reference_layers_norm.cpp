// reference_layers_norm.cpp: batch normalisation and local response normalisation.
#include <algorithm>
#include <cmath>

#include "engine/reference/reference_layers.h"

namespace lockstep::reference {
namespace {

// y = gamma * (x - mean) / sqrt(variance + epsilon) + beta, per channel. In training, mean and
// (biased) variance are those of the batch, and so depend on x: hence the two sums in backward
// (Ioffe, Szegedy 2015).
class Normalisation : public ReferenceLayer {
 public:
  Normalisation(const BatchNorm& spec, Place& place)
      : ReferenceLayer(place),
        spec_(spec),
        moving_mean_(channels(), 0.0f),
        moving_variance_(channels(), 1.0f),
        mean_(channels()),
        variance_(channels()) {}

  void forward(Step& step) override {
    for (int64_t c = 0; c < channels(); ++c) {
      if (step.mode == Mode::Training) {
        measure(c);
      } else {
        mean_[c] = moving_mean_[c];
        variance_[c] = moving_variance_[c];
      }
      for_each(c, [&](int64_t i) { output().value[i] = gamma(c) * normalised(c, i) + beta(c); });
    }
  }

  void backward(const Step&) override {
    const double count = static_cast<double>(place_.batch * pixels());
    for (int64_t c = 0; c < channels(); ++c) {
      double sum = 0, sum_with_input = 0;
      for_each(c, [&](int64_t i) {
        sum += output().gradient[i];
        sum_with_input += output().gradient[i] * normalised(c, i);
      });
      for_each(c, [&](int64_t i) {
        const double centred =
            output().gradient[i] - sum / count - normalised(c, i) * sum_with_input / count;
        input_gradient().gradient[i] += gamma(c) * centred / deviation(c);
      });
      if (spec_.scale) place_.parameters[0].gradient[c] = static_cast<float>(sum_with_input);
      place_.parameters.back().gradient[c] = static_cast<float>(sum);
    }
  }

  std::vector<StateInfo> state() override {
    return {{place_.node.name + "/moving_mean", moving_mean_},
            {place_.node.name + "/moving_variance", moving_variance_}};
  }

 private:
  int64_t channels() const { return place_.output.shape.channels(); }
  int64_t pixels() const { return place_.output.shape.height() * place_.output.shape.width(); }
  double gamma(int64_t c) const { return spec_.scale ? place_.parameters[0].value[c] : 1.0; }
  double beta(int64_t c) const { return place_.parameters.back().value[c]; }
  double deviation(int64_t c) const { return std::sqrt(variance_[c] + spec_.epsilon); }
  double normalised(int64_t c, int64_t i) const {
    return (input().value[i] - mean_[c]) / deviation(c);
  }

  template <typename Visit>
  void for_each(int64_t c, Visit visit) const {
    for (int64_t image = 0; image < place_.batch; ++image) {
      for (int64_t i = 0; i < pixels(); ++i) visit((image * channels() + c) * pixels() + i);
    }
  }

  void measure(int64_t c) {
    const double count = static_cast<double>(place_.batch * pixels());
    double sum = 0, squares = 0;
    for_each(c, [&](int64_t i) { sum += input().value[i]; });
    mean_[c] = sum / count;
    for_each(c, [&](int64_t i) { squares += std::pow(input().value[i] - mean_[c], 2); });
    variance_[c] = squares / count;
    moving_mean_[c] = moved(moving_mean_[c], mean_[c]);
    moving_variance_[c] = moved(moving_variance_[c], variance_[c]);
  }
  float moved(double average, double now) const {
    return static_cast<float>(spec_.decay * average + (1 - spec_.decay) * now);
  }

  BatchNorm spec_;
  std::vector<float> moving_mean_, moving_variance_;
  std::vector<double> mean_, variance_;  // that the last forward normalised with
};

// y_c = x_c * s_c^-beta with s_c = bias + alpha * (sum of x^2 over the channels within `radius`).
class ResponseNormalisation : public ReferenceLayer {
 public:
  ResponseNormalisation(const Lrn& spec, Place& place) : ReferenceLayer(place), spec_(spec) {}

  void forward(Step&) override {
    scale_.assign(output().value.size(), spec_.bias);
    for_each_neighbour([&](int64_t i, int64_t j) {
      scale_[i] += spec_.alpha * input().value[j] * input().value[j];
    });
    for (size_t i = 0; i < scale_.size(); ++i) {
      output().value[i] = input().value[i] * std::pow(scale_[i], -spec_.beta);
    }
  }

  void backward(const Step&) override {
    std::vector<double>& in_gradient = input_gradient().gradient;
    for (size_t i = 0; i < scale_.size(); ++i) {
      in_gradient[i] += output().gradient[i] * std::pow(scale_[i], -spec_.beta);
    }
    for_each_neighbour([&](int64_t i, int64_t j) {  // through s_i, which x_j is part of
      in_gradient[j] -= output().gradient[i] * 2 * spec_.alpha * spec_.beta * input().value[j] *
                        output().value[i] / scale_[i];
    });
  }

 private:
  // visit(i, j): same image and pixel, channels at most `radius` apart, i itself included
  template <typename Visit>
  void for_each_neighbour(Visit visit) const {
    const Shape& shape = place_.output.shape;
    const int64_t pixels = shape.height() * shape.width();
    for (int64_t image = 0; image < place_.batch; ++image) {
      for (int64_t c = 0; c < shape.channels(); ++c) {
        const int64_t first = std::max<int64_t>(c - spec_.radius, 0);
        const int64_t last = std::min<int64_t>(c + spec_.radius, shape.channels() - 1);
        for (int64_t other = first; other <= last; ++other) {
          for (int64_t pixel = 0; pixel < pixels; ++pixel) {
            visit((image * shape.channels() + c) * pixels + pixel,
                  (image * shape.channels() + other) * pixels + pixel);
          }
        }
      }
    }
  }

  Lrn spec_;
  std::vector<double> scale_;
};

}  // namespace

std::unique_ptr<ReferenceLayer> make_layer(const BatchNorm& spec, Place& place) {
  return std::make_unique<Normalisation>(spec, place);
}
std::unique_ptr<ReferenceLayer> make_layer(const Lrn& spec, Place& place) {
  return std::make_unique<ResponseNormalisation>(spec, place);
}

}  // namespace lockstep::reference
