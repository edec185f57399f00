// device_report.h: what a device reports of its steps: loss, hits and times, read later.
//
// The numbers of a step are copied to pinned memory, and events mark its phases. The host reads
// both one step later, so that the device never waits for it. Only the last two steps are kept.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <vector>

#include "engine/engine.h"

namespace lockstep::libtorch {

class DeviceReport {
 public:
  explicit DeviceReport(at::Device device);

  // Of one step, in this order; each on the calling thread's stream. Without backward: the first
  // two.
  void begin();
  void forward_done(const at::Tensor& loss, const at::Tensor& ranks, const at::Tensor& squares);
  void backward_done();
  void communicated(const c10::Stream& stream);  // there, perhaps before backward_done()
  void values_ready();                           // the updates of this step, too

  // Of a step that is a graph: the first inside of it, the second after its launch; then
  // values_ready(). Events inside of a graph tell no times, so the step is one phase.
  void forward_captured(const at::Tensor& loss, const at::Tensor& ranks, const at::Tensor& squares);
  void launched();

  // 0: of the last step, 1: of the one before. Waits for the device.
  StepOutcome read(int steps_ago, const WhileWaiting& call) const;

 private:
  struct Slot {
    at::Tensor numbers;  // pinned
    c10::Event begin, forward, backward, communicated, values;
    bool communicates = false, is_graph = false;
    const c10::Event* last = nullptr;
  };
  Slot& now() { return slots_[static_cast<size_t>(steps_ % 2)]; }
  void mark(c10::Event& event);
  at::Tensor numbers_of(const at::Tensor& loss, const at::Tensor& ranks,
                        const at::Tensor& squares) const;

  at::Device device_;
  std::vector<Slot> slots_;
  at::Tensor captured_;  // numbers of the last step that was a graph, on the device
  int64_t steps_ = 0;
};

}  // namespace lockstep::libtorch
