// device_row.h: a row of floats in the memory of an accelerator.
//
// The host cannot read it: it has an address for calls of the accelerator's libraries, but no
// pointer to floats and no index.
#pragma once

#include <cassert>
#include <cstdint>

namespace lockstep {

class DeviceRow {
 public:
  DeviceRow() = default;
  DeviceRow(void* address, int64_t floats)
      : address_(reinterpret_cast<uintptr_t>(address)), floats_(floats) {}

  int64_t size() const { return floats_; }
  DeviceRow part(int64_t first, int64_t floats) const {
    assert(first >= 0 && floats >= 0 && first + floats <= floats_);
    DeviceRow row;
    row.address_ = address_ + static_cast<uintptr_t>(first) * sizeof(float);
    row.floats_ = floats;
    return row;
  }
  void* address() const { return reinterpret_cast<void*>(address_); }  // only for those libraries

 private:
  uintptr_t address_ = 0;
  int64_t floats_ = 0;
};

// Where an accelerator queues work, as its libraries know it: a cudaStream_t.
struct DeviceStream {
  void* handle = nullptr;
};

}  // namespace lockstep
