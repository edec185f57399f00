// device.h: where LibTorch computes, and with how many threads.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>
#include <c10/core/Stream.h>

#include <string>

#include "nn/device_parameters.h"

namespace lockstep::libtorch {

// "cpu", or a device of accelerators.h with or without a number: "cuda", "cuda:1", "gpu". Throws
// UsageError when this LibTorch or this machine has none.
at::Device find_device(const std::string& name);

// What the calling thread allocates and communicates from now on is on that device.
void make_current(at::Device device);

// One pool of that size for ATen, oneDNN and BLAS.
void use_threads(int threads);

// Of another device than a CPU: where the calling thread queues work.
c10::Stream current_stream(at::Device device);

c10::Stream new_stream(at::Device device);

// From now on the calling thread queues work on another stream than the device's default one, on
// which no graph can be captured.
void leave_default_stream(at::Device device);

// Until the event has come.
void wait_for(const c10::Event& event, const WhileWaiting& call = {});

// Waits for what was handed to the device. A CPU has done it already.
void wait_until_idle(at::Device device);

}  // namespace lockstep::libtorch
