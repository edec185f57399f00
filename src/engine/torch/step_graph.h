// step_graph.h: a training step captured as a graph of the device and launched as a whole.
//
// The first steps run as they are queued: libraries choose kernels and allocate memory in them. The
// next one is captured: the device records what is queued, on all streams that wait for each other,
// and runs it when the graph is launched. Every later step is that launch alone. So a graph reads
// whatever changes from step to step from memory that is written before: images, labels, the
// learning rate and the keys of dropout.
#pragma once

#include <c10/core/Device.h>

#include <memory>

namespace lockstep::libtorch {

class StepGraph {
 public:
  // Throws UsageError with the reason where graphs cannot be captured.
  explicit StepGraph(at::Device device);
  ~StepGraph();
  StepGraph(const StepGraph&) = delete;

  // On the engine's stream, which is not the device's default one. `as_queued`: this step is no
  // graph, because somebody observes its parts.
  void begin(bool as_queued);
  bool captures() const { return state_ == State::Captures; }
  bool replays() const { return state_ == State::Replays; }  // this step is queued by end() alone
  bool end();    // launches; false: this step was no graph
  void reset();  // what was captured is out of date; waits for the device

 private:
  enum class State { Idle, AsQueued, Captures, Replays };
  struct Captured;

  at::Device device_;
  State state_ = State::Idle;
  int steps_as_queued_ = 0;
  std::unique_ptr<Captured> captured_;  // null: not yet
};

}  // namespace lockstep::libtorch
