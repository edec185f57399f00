// fake_queue.h: a stream of the fake as its libraries see it: the native handle that LibTorch hands
// out. Virtual, so that the fake NCCL needs no symbol of the program that loads it.
#pragma once

#include <functional>

namespace lockstep::fake {

class FakeQueue {
 public:
  virtual ~FakeQueue() = default;

  virtual void queue_kernel(std::function<void()> kernel) = 0;
  virtual void* memory_of(void* device_address) = 0;  // that a kernel may use
};

}  // namespace lockstep::fake
