// device_communicator.h: communication between ranks out of the memory of their accelerators.
//
// A collective only queues work on a stream and returns: what is queued there next finds the
// result. All ranks call the same collectives in the same order with equal sizes, one thread at a
// time. The device waits for peers without end, so the host asks check() while it waits for the
// device.
#pragma once

#include "base/time.h"
#include "tensor/device_row.h"

namespace lockstep {

class DeviceCommunicator {
 public:
  virtual ~DeviceCommunicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  virtual void all_reduce(DeviceRow row, DeviceStream stream) = 0;  // sum, in place
  virtual void broadcast(DeviceRow row, int root, DeviceStream stream) = 0;

  // Throws Error, and ends what is queued on all devices, when a peer died, or when the host has
  // waited for the stall time-out; the message names the rank and its host. The communicator is of
  // no further use then.
  virtual void check(Seconds waited) = 0;
};

}  // namespace lockstep
