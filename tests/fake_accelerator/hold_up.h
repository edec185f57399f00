// hold_up.h: makes one stream of the fake wait, so that a test sees whether others wait for it.
#pragma once

#include <thread>

#include "fake_accelerator/fake_stream.h"
#include "nn/device_parameters.h"

namespace lockstep {

inline fake::FakeQueue& queue_of(DeviceStream stream) {
  return *static_cast<fake::FakeQueue*>(stream.handle);
}
inline fake::FakeQueue& engines_queue() { return fake::current_stream(0); }

// A kernel that takes longer than everything else that a test queues.
inline void hold_up(
    fake::FakeQueue& queue, std::function<void()> then = [] {}) {
  queue.queue_kernel([then = std::move(then)] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    then();
  });
}

}  // namespace lockstep
