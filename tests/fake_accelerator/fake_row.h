// fake_row.h: a stream of the fake and a row of floats in its memory, for tests of NCCL.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "fake_accelerator/fake_memory.h"
#include "fake_accelerator/fake_stream.h"
#include "tensor/device_row.h"

namespace lockstep {

class FakeRow {
 public:
  FakeRow(int device, int64_t floats) : FakeRow(fake::new_stream(device), floats) {}
  // Streams are threads that live as long as the program: many rows share one.
  FakeRow(fake::FakeStream& stream, int64_t floats)
      : stream_(stream),
        floats_(floats),
        address_(fake::allocate_device(static_cast<size_t>(floats) * sizeof(float), stream_)) {}
  ~FakeRow() {
    stream_.wait_until_idle();
    fake::free_device(address_);
  }
  FakeRow(const FakeRow&) = delete;

  DeviceRow row() const { return {address_, floats_}; }
  DeviceStream stream() { return {static_cast<fake::FakeQueue*>(&stream_)}; }
  void write(std::span<const float> floats) {
    stream_.enqueue([values = std::vector<float>(floats.begin(), floats.end()), this] {
      std::ranges::copy(values, numbers());
    });
  }
  std::vector<float> read() {
    stream_.wait_until_idle();
    return {numbers(), numbers() + floats_};
  }
  bool idle() { return stream_.idle(); }

 private:
  float* numbers() const { return static_cast<float*>(fake::kernel_address(address_)); }

  fake::FakeStream& stream_;
  int64_t floats_;
  void* address_;
};

}  // namespace lockstep
