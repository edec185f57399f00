// backward_clock.h: times the backward pass of each operation, which autograd runs.
//
// A hook on the last call that an operation recorded tells when autograd begins with it. Autograd
// runs what was recorded last first, so an operation ends where the one before it begins, or where
// somebody is told of its gradients.
#pragma once

#include <ATen/core/Tensor.h>

#include "engine/engine.h"

namespace lockstep::libtorch {

class BackwardClock {
 public:
  explicit BackwardClock(at::Device device) : device_(device) {}
  BackwardClock(const BackwardClock&) = delete;  // hooks point to it

  void watch(const at::Tensor& output, int op);  // in forward, when operation `op` has run
  void start(OpObserver* observer, int ops);     // nullptr: nobody listens
  void begin(int op);
  void pause();   // what follows belongs to no operation
  void finish();  // reports the operations that had nothing to do as well

 private:
  TimePoint now() const;
  void report_idle_down_to(int op);

  at::Device device_;
  OpObserver* observer_ = nullptr;  // borrowed
  int next_ = -1;                   // operation to be reported next
  bool running_ = false;            // next_ has begun
  TimePoint begin_, last_end_;
};

}  // namespace lockstep::libtorch
