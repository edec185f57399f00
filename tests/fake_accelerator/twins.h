// twins.h: two replicas that are equal, on streams of the fake.
#pragma once

#include <atomic>

#include "comm/device_communicator.h"
#include "fake_accelerator/hold_up.h"

namespace lockstep {

// Their sum is twice the gradient of one. Takes its time.
class Twins : public DeviceCommunicator {
 public:
  int rank() const override { return 1; }
  int size() const override { return 2; }
  void all_reduce(DeviceRow row, DeviceStream stream) override { double_it(row, stream); }
  // The other one has begun with values twice as large.
  void broadcast(DeviceRow row, int, DeviceStream stream) override { double_it(row, stream); }
  void check(Seconds) override { ++checks_; }

  int checks() const { return checks_; }

 private:
  static void double_it(DeviceRow row, DeviceStream stream) {
    auto* const floats = static_cast<float*>(queue_of(stream).memory_of(row.address()));
    hold_up(queue_of(stream), [floats, count = row.size()] {
      for (int64_t i = 0; i < count; ++i) floats[i] *= 2;
    });
  }

  std::atomic<int> checks_ = 0;
};

}  // namespace lockstep
