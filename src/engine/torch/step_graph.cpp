#include "engine/torch/step_graph.h"

#include <torch/version.h>

#include "base/error.h"
#include "engine/torch/device.h"
#include "engine/torch/graph_adapter.h"

// Since LibTorch 2.12.
#if __has_include(<ATen/core/GraphImplInterface.h>)
#include <ATen/DeviceAccelerator.h>
#include <ATen/core/GraphImplInterface.h>
#define LOCKSTEP_LIBTORCH_HAS_GRAPHS
#endif

namespace lockstep::libtorch {

#ifdef LOCKSTEP_LIBTORCH_HAS_GRAPHS
namespace {

void check(at::Device device) {
  if (at::has_graph_impl(device.type())) return;
  const std::string reason = load_graph_adapter(device);
  if (!at::has_graph_impl(device.type())) throw UsageError("--graph: {}; leave it out", reason);
}

}  // namespace

struct StepGraph::Captured {
  explicit Captured(at::Device device) : graph(at::create_graph_impl(device.type())) {}

  // A graph has memory of its own, so what the steps before have left in the cache goes. Other
  // threads, of the input pipeline among them, may allocate meanwhile.
  void begin() {
    at::accelerator::emptyCache();
    graph->capture_begin({0, 0}, at::GraphCaptureMode::ThreadLocal);
  }
  void end() { graph->capture_end(); }
  void launch() { graph->replay(); }

  std::unique_ptr<at::GraphImplInterface> graph;
};

#else
namespace {

void check(at::Device) {
  throw UsageError("--graph: LibTorch {} cannot capture graphs; use 2.12 or later", TORCH_VERSION);
}

}  // namespace

struct StepGraph::Captured {
  explicit Captured(at::Device) {}
  void begin() {}
  void end() {}
  void launch() {}
};
#endif

StepGraph::StepGraph(at::Device device) : device_(device) { check(device); }

// Waits, too: the graph's memory goes with it. After a fault of the device there is nothing to wait
// for.
StepGraph::~StepGraph() {
  try {
    reset();
  } catch (const std::exception&) {  // whoever used the device was told
  }
}

void StepGraph::begin(bool as_queued) {
  constexpr int kStepsAsQueued = 3;
  if (as_queued || (!captured_ && steps_as_queued_ < kStepsAsQueued)) {
    ++steps_as_queued_;
    state_ = State::AsQueued;
    return;
  }
  state_ = captured_ ? State::Replays : State::Captures;
  if (captured_) return;
  captured_ = std::make_unique<Captured>(device_);
  captured_->begin();
}

bool StepGraph::end() {
  const State ended = std::exchange(state_, State::Idle);
  if (ended == State::Captures) captured_->end();
  if (ended != State::Captures && ended != State::Replays) return false;
  captured_->launch();
  return true;
}

void StepGraph::reset() {
  if (!captured_) return;
  wait_until_idle(device_);
  captured_.reset();
  steps_as_queued_ = 0;
}

}  // namespace lockstep::libtorch
