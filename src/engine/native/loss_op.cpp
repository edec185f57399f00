// loss_op.cpp: softmax and cross-entropy in one: forward already leaves the gradient behind.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/native/parallel.h"
#include "engine/native/simple_ops.h"

namespace lockstep::native {
namespace {

class LossOp : public Op {
 public:
  LossOp(OpInfo info, const Layout& layout, const LossSpec& spec)
      : Op(std::move(info)),
        spec_(spec),
        batch_(layout.batch),
        classes_(spec.logits->shape.elements()),
        losses_(layout.batch),
        ranks_(layout.batch) {
    note_kernel("lockstep:scalar");
  }

  void plan_forward(Planner& planner) override {
    planner.read(*spec_.logits);
    if (spec_.mode == Mode::Training) gradient_ = planner.reserve_like(*spec_.logits);
  }
  void plan_backward(Planner& planner) override {
    planner.use(gradient_.buffer);
    planner.contribute(*spec_.logits, gradient_);
  }
  void bind(const Addresses& addresses) override {
    logits_ = addresses.at(spec_.logits->data);
    if (spec_.mode == Mode::Training) gradient_data_ = addresses.at(gradient_);
  }

  void forward(StepContext& step) override {
    parallel_for(batch_, [&](int64_t image) { one_image(image, step.batch->labels[image]); });
    double loss = 0;
    for (int64_t image = 0; image < batch_; ++image) {
      loss += losses_[image];
      if (!spec_.counts_hits) continue;
      step.outcome.top_1_hits += ranks_[image] < 1;
      step.outcome.top_5_hits += ranks_[image] < 5;
    }
    if (spec_.mode == Mode::Inference) return;
    step.outcome.loss += static_cast<float>(spec_.weight * loss / static_cast<double>(batch_));
  }
  void backward(StepContext&) override {}

 private:
  void one_image(int64_t image, int32_t label) {
    if (label == kNoLabel) {
      ranks_[image] = kNeverHit;
      return;
    }
    const float* z = logits_ + image * classes_;
    const float largest = *std::max_element(z, z + classes_);
    // Not "other > right": nothing would beat the NaN of a run that diverged.
    ranks_[image] =
        std::count_if(z, z + classes_, [&](float other) { return !(other <= z[label]); });
    if (spec_.mode == Mode::Inference) return;
    float* g = gradient_data_ + image * classes_;
    double sum = 0;
    for (int64_t i = 0; i < classes_; ++i) {
      g[i] = std::exp(z[i] - largest);
      sum += g[i];
    }
    losses_[image] = std::log(sum) - (z[label] - largest);
    const float factor = static_cast<float>(spec_.weight / static_cast<double>(batch_) / sum);
    for (int64_t i = 0; i < classes_; ++i) g[i] *= factor;
    g[label] -= static_cast<float>(spec_.weight / static_cast<double>(batch_));
  }

  static constexpr int64_t kNeverHit = std::numeric_limits<int64_t>::max();

  LossSpec spec_;
  int64_t batch_, classes_;
  std::vector<double> losses_;
  std::vector<int64_t> ranks_;  // how many classes beat the right one
  View gradient_;
  const float* logits_ = nullptr;
  float* gradient_data_ = nullptr;
};

}  // namespace

std::unique_ptr<Op> make_loss_op(OpInfo info, const Layout& layout, const LossSpec& spec) {
  return std::make_unique<LossOp>(std::move(info), layout, spec);
}

}  // namespace lockstep::native
