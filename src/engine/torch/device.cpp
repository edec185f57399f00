#include "engine/torch/device.h"

#include <ATen/Parallel.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <thread>

#include "base/error.h"
#include "base/text.h"
#include "engine/torch/accelerators.h"

namespace lockstep::libtorch {

at::Device find_device(const std::string& name) {
  const std::vector<std::string> parts = split(name, ':');
  if (parts[0] == "cpu") return at::kCPU;
  const std::optional<FoundAccelerator> found = find_accelerator(parts[0]);
  if (!found) {
    throw UsageError("--device {}: this LibTorch sees no such device; use --device cpu", name);
  }
  const int64_t index = parts.size() > 1 ? whole_number(parts[1]).value_or(found->devices) : 0;
  if (index < 0 || index >= found->devices) {
    throw UsageError("--device {}: this host has {} GPU{}; use at most one worker per GPU", name,
                     found->devices, found->devices == 1 ? "" : "s");
  }
  return at::Device(found->type, static_cast<at::DeviceIndex>(index));
}

void make_current(at::Device device) {
  if (!device.is_cpu()) c10::impl::VirtualGuardImpl(device.type()).setDevice(device);
}

// ATen, oneDNN, MKL and OpenBLAS for OpenMP share the OpenMP pool of the calling thread. An
// OpenBLAS with threads of its own, as in Conda's LibTorch, must at least not have more of them.
void use_threads(int threads) {
  at::set_num_threads(threads);
  void* const set_openblas = dlsym(RTLD_DEFAULT, "openblas_set_num_threads");
  if (set_openblas) reinterpret_cast<void (*)(int)>(set_openblas)(threads);
}

c10::Stream current_stream(at::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

c10::Stream new_stream(at::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getNewStream(device);
}

void leave_default_stream(at::Device device) {
  const c10::impl::VirtualGuardImpl guard(device.type());
  if (guard.getStream(device) != guard.getDefaultStream(device)) return;
  guard.exchangeStream(new_stream(device));
}

void wait_for(const c10::Event& event, const WhileWaiting& call) {
  constexpr Seconds kBetweenCalls{0.01};
  const TimePoint begin = Clock::now();
  for (Seconds called{}; !event.query();) {
    std::this_thread::yield();
    const Seconds waited = seconds_since(begin);
    if (!call || waited < called + kBetweenCalls) continue;
    call(waited);
    called = waited;
  }
  if (call) call(Seconds{0});  // what the device waited for may have ended without success
}

void wait_until_idle(at::Device device) {
  if (!device.is_cpu()) current_stream(device).synchronize();
}

}  // namespace lockstep::libtorch
