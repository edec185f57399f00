// torch_device_buffer.h: memory and streams of a device, to measure copies and communication.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tensor/device_buffer.h"

namespace lockstep {

// Throws UsageError when there is no such device.
std::unique_ptr<DeviceBuffer> make_torch_device_buffer(const std::string& device, int64_t floats);

// What was copied, and bytes per second.
std::vector<std::pair<std::string, double>> torch_copy_speeds(const std::string& device);

}  // namespace lockstep
