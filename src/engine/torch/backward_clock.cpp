#include "engine/torch/backward_clock.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>

#include "engine/torch/device.h"

namespace lockstep::libtorch {
namespace {

class BeginHook : public torch::autograd::FunctionPreHook {
 public:
  BeginHook(BackwardClock& clock, int op) : clock_(clock), op_(op) {}

  torch::autograd::variable_list operator()(
      const torch::autograd::variable_list& gradients) override {
    clock_.begin(op_);
    return gradients;
  }

 private:
  BackwardClock& clock_;
  int op_;
};

}  // namespace

void BackwardClock::watch(const at::Tensor& output, int op) {
  if (!output.defined() || !output.grad_fn()) return;  // nothing before it learns
  output.grad_fn()->add_pre_hook(std::make_unique<BeginHook>(*this, op));
}

void BackwardClock::start(OpObserver* observer, int ops) {
  observer_ = observer;
  next_ = ops - 1;
  running_ = false;
  if (observer_) last_end_ = now();
}

void BackwardClock::begin(int op) {
  if (!observer_) return;
  pause();
  report_idle_down_to(op);
  begin_ = now();
  running_ = true;
}

void BackwardClock::pause() {
  if (!running_) return;
  last_end_ = now();
  observer_->executed(next_--, Pass::Backward, begin_, last_end_);
  running_ = false;
}

void BackwardClock::finish() {
  if (!observer_) return;
  pause();
  report_idle_down_to(-1);
}

void BackwardClock::report_idle_down_to(int op) {
  while (next_ > op) observer_->executed(next_--, Pass::Backward, last_end_, last_end_);
}

TimePoint BackwardClock::now() const {
  wait_until_idle(device_);
  return Clock::now();
}

}  // namespace lockstep::libtorch
