#include "engine/torch/device_report.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cassert>

#include "engine/torch/device.h"

namespace lockstep::libtorch {
namespace {

enum Number { kLoss, kTop1, kTop5, kSquares, kNumbers };

Seconds between(const c10::Event& from, const c10::Event& to) {
  return Seconds(from.elapsedTime(to) / 1000);
}

}  // namespace

DeviceReport::DeviceReport(at::Device device) : device_(device) {
  for (int i = 0; i < 2; ++i) {
    const auto event = [&] { return c10::Event(device.type(), c10::EventFlag::BACKEND_DEFAULT); };
    slots_.push_back({at::zeros({kNumbers}, at::TensorOptions().pinned_memory(true)), event(),
                      event(), event(), event(), event()});
  }
  captured_ = at::zeros({kNumbers}, at::TensorOptions(device));
}

void DeviceReport::mark(c10::Event& event) {
  event.record(current_stream(device_));
  now().last = &event;
}

void DeviceReport::begin() {
  ++steps_;
  now().communicates = now().is_graph = false;
  mark(now().begin);
}

at::Tensor DeviceReport::numbers_of(const at::Tensor& loss, const at::Tensor& ranks,
                                    const at::Tensor& squares) const {
  const auto number = [](const at::Tensor& tensor) { return tensor.detach().to(at::kFloat); };
  const at::Tensor none = at::zeros({}, at::TensorOptions(device_));
  return at::stack({loss.defined() ? number(loss) : none, number(ranks.lt(1).sum()),
                    number(ranks.lt(5).sum()), squares.defined() ? squares : none});
}

void DeviceReport::forward_done(const at::Tensor& loss, const at::Tensor& ranks,
                                const at::Tensor& squares) {
  now().numbers.copy_(numbers_of(loss, ranks, squares), /*non_blocking=*/true);
  mark(now().forward);
}

void DeviceReport::forward_captured(const at::Tensor& loss, const at::Tensor& ranks,
                                    const at::Tensor& squares) {
  captured_.copy_(numbers_of(loss, ranks, squares));
}

void DeviceReport::launched() {
  now().numbers.copy_(captured_, /*non_blocking=*/true);
  now().is_graph = true;
}

void DeviceReport::backward_done() { mark(now().backward); }
void DeviceReport::communicated(const c10::Stream& stream) {
  now().communicated.record(stream);
  now().communicates = true;
}

void DeviceReport::values_ready() { mark(now().values); }

StepOutcome DeviceReport::read(int steps_ago, const WhileWaiting& call) const {
  assert(steps_ago < 2 && steps_ > steps_ago);
  const Slot& slot = slots_[static_cast<size_t>((steps_ - steps_ago) % 2)];
  wait_for(*slot.last, call);
  const float* const numbers = slot.numbers.const_data_ptr<float>();
  StepOutcome outcome = {.loss = numbers[kLoss],
                         .top_1_hits = static_cast<int>(numbers[kTop1]),
                         .top_5_hits = static_cast<int>(numbers[kTop5]),
                         .sum_of_squares = numbers[kSquares]};
  DevicePhases& phases = outcome.device.emplace();
  if (slot.is_graph) {
    phases.forward = between(slot.begin, slot.values);
    return outcome;
  }
  phases.forward = between(slot.begin, slot.forward);
  if (slot.last != &slot.forward) phases.backward = between(slot.forward, slot.backward);
  phases.updates = slot.last != &slot.backward;
  if (slot.last != &slot.values) return outcome;
  const Seconds exposed = between(slot.backward, slot.values);
  if (slot.communicates) {
    phases.communication =
        std::clamp(between(slot.backward, slot.communicated), Seconds{}, exposed);
  }
  phases.update = exposed - phases.communication;
  return outcome;
}

}  // namespace lockstep::libtorch
