// device_buffer.h: a row in the memory of an accelerator and a stream, to measure communication.
#pragma once

#include <functional>
#include <span>

#include "base/time.h"
#include "tensor/device_row.h"

namespace lockstep {

class DeviceBuffer {
 public:
  virtual ~DeviceBuffer() = default;

  virtual DeviceRow row() const = 0;
  virtual DeviceStream stream() const = 0;
  // To and from the beginning of the row; after what is queued on the stream.
  virtual void write(std::span<const float> floats) = 0;
  virtual void read(std::span<float> floats) = 0;
  // Until the stream is done. Calls now and then, with the time waited so far, what may throw.
  virtual void wait(const std::function<void(Seconds waited)>& call) = 0;
};

}  // namespace lockstep
