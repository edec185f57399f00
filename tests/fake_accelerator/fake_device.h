// fake_device.h: what a test asks of the fake accelerator: counters, faults and delays.
//
// The fake is LibTorch's device "fake" (PrivateUse1). It computes on the CPU, but is as strict as
// hardware, and reports what hardware hides: the host cannot read device memory (it crashes),
// memory without contents is NaN, and every stream is a thread that lags behind by a random time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace lockstep::fake {

inline constexpr int kDevices = 4;

// Since the program began.
struct Counters {
  int64_t synchronisations = 0;  // the host waited for a stream, an event or a copy
  int64_t allocations = 0;       // of device or pinned memory that no free block could serve
  int64_t kernels = 0;           // queued
};
Counters counters();

// Every stream waits a random time before some of its tasks. The same seed: the same times.
void set_delays(uint64_t seed);
void no_delays();
// Every copy from the host takes at least so long; 0: no longer than it takes.
void slow_copies(std::chrono::milliseconds least);

// Of programs: FAKE_DEVICE_MEMORY=BYTES limits memory, FAKE_DEVICE_FAULT=KERNELS ends with a fault.

// Allocations beyond so many bytes of one device's memory fail; 0: no limit.
void limit_memory(int64_t bytes);
int64_t memory_in_use();

// From the kernel after so many others on, every call fails with this message, as after a fault of
// the hardware.
void fail_after(int64_t kernels, const std::string& message);
void recover();

}  // namespace lockstep::fake
