// reference_layers_elementwise.cpp: layers whose output element i depends on input element i.
#include "engine/reference/reference_layers.h"
#include "nn/dropout_mask.h"

namespace lockstep::reference {
namespace {

class Source : public ReferenceLayer {
 public:
  using ReferenceLayer::ReferenceLayer;
  void forward(Step&) override {}  // the engine has put the images there
  void backward(const Step&) override {}
};

class Rectifier : public ReferenceLayer {
 public:
  Rectifier(const Relu& spec, Place& place) : ReferenceLayer(place), ceiling_(spec.ceiling) {}

  void forward(Step&) override {
    for (size_t i = 0; i < input().value.size(); ++i) {
      output().value[i] = std::min(std::max(input().value[i], 0.0), ceiling_);
    }
  }
  void backward(const Step&) override {
    for (size_t i = 0; i < input().value.size(); ++i) {
      const bool open = input().value[i] > 0 && input().value[i] < ceiling_;
      if (open) input_gradient().gradient[i] += output().gradient[i];
    }
  }

 private:
  double ceiling_;
};

class RandomDrop : public ReferenceLayer {
 public:
  RandomDrop(const Dropout& spec, Place& place) : ReferenceLayer(place), keep_(spec.keep) {}

  void forward(Step& step) override {
    for (size_t i = 0; i < input().value.size(); ++i) {
      output().value[i] = input().value[i] * factor(step, i);
    }
  }
  void backward(const Step& step) override {
    for (size_t i = 0; i < input().value.size(); ++i) {
      input_gradient().gradient[i] += output().gradient[i] * factor(step, i);
    }
  }

 private:
  double factor(const Step& step, size_t element) const {
    if (step.mode == Mode::Inference) return 1;
    const RandomStream random(step.seed, dropout_stream(place_.id, step.index));
    return keeps(random, element, keep_) ? 1 / keep_ : 0;
  }

  double keep_;
};

class Sum : public ReferenceLayer {
 public:
  using ReferenceLayer::ReferenceLayer;

  void forward(Step&) override {
    for (size_t i = 0; i < output().value.size(); ++i) {
      output().value[i] = place_.inputs[0]->value[i] + place_.inputs[1]->value[i];
    }
  }
  void backward(const Step&) override {
    for (Activation* in : place_.inputs) {
      for (size_t i = 0; i < in->gradient.size(); ++i) in->gradient[i] += output().gradient[i];
    }
  }
};

}  // namespace

std::unique_ptr<ReferenceLayer> make_layer(const Image&, Place& place) {
  return std::make_unique<Source>(place);
}
std::unique_ptr<ReferenceLayer> make_layer(const Relu& spec, Place& place) {
  return std::make_unique<Rectifier>(spec, place);
}
std::unique_ptr<ReferenceLayer> make_layer(const Dropout& spec, Place& place) {
  return std::make_unique<RandomDrop>(spec, place);
}
std::unique_ptr<ReferenceLayer> make_layer(const Add&, Place& place) {
  return std::make_unique<Sum>(place);
}

}  // namespace lockstep::reference
