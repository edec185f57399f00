// reference_layers_loss.cpp: softmax and the mean cross-entropy over the batch.
#include <algorithm>
#include <cmath>

#include "engine/reference/reference_layers.h"

namespace lockstep::reference {
namespace {

class CrossEntropy : public ReferenceLayer {
 public:
  CrossEntropy(const SoftmaxLoss& spec, Place& place)
      : ReferenceLayer(place), weight_(spec.weight) {}

  void forward(Step& step) override {
    for (int image = 0; image < place_.batch; ++image) {
      const std::vector<double> probability = softmax(logits(image));
      const int label = step.labels[image];
      if (label == kNoLabel) continue;
      output().value[image] = -std::log(probability[label]);
      if (step.mode == Mode::Training) step.loss += weight_ * output().value[image] / place_.batch;
      if (place_.is_main_head) count_hits(step, logits(image), label);
    }
  }

  void backward(const Step& step) override {
    const int64_t classes = input().shape.elements();
    for (int image = 0; image < place_.batch; ++image) {
      const std::vector<double> probability = softmax(logits(image));
      for (int64_t c = 0; c < classes; ++c) {
        const double target = c == step.labels[image] ? 1 : 0;
        input_gradient().gradient[image * classes + c] +=
            weight_ * (probability[c] - target) / place_.batch;
      }
    }
  }

 private:
  std::span<const double> logits(int image) const {
    const int64_t classes = input().shape.elements();
    return std::span(input().value).subspan(image * classes, classes);
  }

  static std::vector<double> softmax(std::span<const double> logits) {
    const double highest = *std::max_element(logits.begin(), logits.end());
    std::vector<double> result;
    double sum = 0;
    for (const double logit : logits) {
      result.push_back(std::exp(logit - highest));
      sum += result.back();
    }
    for (double& value : result) value /= sum;
    return result;
  }

  // A class is among the best k when all but fewer than k logits are known not to be greater.
  static void count_hits(Step& step, std::span<const double> logits, int label) {
    const auto better = std::count_if(logits.begin(), logits.end(),
                                      [&](double logit) { return !(logit <= logits[label]); });
    step.top_1_hits += better < 1;
    step.top_5_hits += better < 5;
  }

  double weight_;
};

}  // namespace

std::unique_ptr<ReferenceLayer> make_layer(const SoftmaxLoss& spec, Place& place) {
  return std::make_unique<CrossEntropy>(spec, place);
}

}  // namespace lockstep::reference
