// all_reduce_timing.h: times all-reduce and checks its sums.
//
// Every rank calls with the same work. Iterations follow each other without a pause, as in training
// that waits for communication only; an iteration of a rank lasts from the end of the one before to
// its own end, and an iteration of the run as long as on its slowest rank. Several communicators
// can be measured in one go: their iterations alternate, so what disturbs the machine disturbs
// all alike.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "comm/device_communicator.h"
#include "tensor/device_buffer.h"

namespace lockstep {

struct AllReduceWork {
  std::vector<int64_t> message_floats;  // all-reduced one after the other in each iteration
  int warm_up = 5;                      // iterations before the timed ones
  int iterations = 20;
  bool check = true;  // one more iteration, of which every number is compared with the exact sum

  int64_t floats() const;  // of all messages
};

// A communicator that works in the memory of devices.
struct TimedDevice {
  DeviceCommunicator& comm;
  DeviceBuffer& buffer;  // for the largest work
};

// One of those that are measured, and its memory for the largest work. With a device, that one is
// measured; `comm` connects the same ranks, and `data` is what the host knows of the buffer.
struct TimedCommunicator {
  Communicator& comm;
  std::span<float> data;
  std::optional<TimedDevice> device = {};
};

struct AllReduceTimes {
  std::vector<double> seconds;  // per iteration; on rank 0 only
  int64_t wrong = 0;            // numbers that differ from the exact sum, on all ranks; rank 0 only
};

// One answer for each communicator, in their order.
std::vector<AllReduceTimes> time_all_reduce(std::span<const TimedCommunicator> several,
                                            const AllReduceWork& work);

// Bytes per second that each rank would send and receive in a ring: comparable between numbers of
// ranks, and bounded by the slowest link. The convention of nccl-tests.
double bus_bandwidth(double bytes_per_second, int ranks);

}  // namespace lockstep
