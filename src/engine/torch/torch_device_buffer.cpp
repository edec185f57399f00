#include "engine/torch/torch_device_buffer.h"

#include <ATen/Functions.h>
#include <c10/core/StreamGuard.h>

#include "engine/torch/device.h"
#include "engine/torch/loaded_library.h"

namespace lockstep {
namespace libtorch {
namespace {

at::Tensor host_view(const float* floats, size_t count) {
  return at::from_blob(const_cast<float*>(floats), {static_cast<int64_t>(count)});
}

class TorchDeviceBuffer : public DeviceBuffer {
 public:
  TorchDeviceBuffer(at::Device device, int64_t floats)
      : stream_(new_stream(device)), done_(device.type()) {
    make_current(device);
    const c10::StreamGuard on_stream(stream_);
    memory_ = at::zeros({floats}, at::TensorOptions(device));
  }

  DeviceRow row() const override { return {memory_.data_ptr(), memory_.numel()}; }
  DeviceStream stream() const override { return {stream_.native_handle()}; }

  void write(std::span<const float> floats) override {
    const c10::StreamGuard on_stream(stream_);
    memory_.narrow(0, 0, std::ssize(floats)).copy_(host_view(floats.data(), floats.size()));
  }
  void read(std::span<float> floats) override {
    const c10::StreamGuard on_stream(stream_);
    host_view(floats.data(), floats.size()).copy_(memory_.narrow(0, 0, std::ssize(floats)));
  }
  void wait(const std::function<void(Seconds)>& call) override {
    done_.record(stream_);
    wait_for(done_, call);
  }

 private:
  c10::Stream stream_;
  c10::Event done_;
  at::Tensor memory_;
};

double bytes_per_second(at::Device device, const at::Tensor& from, const at::Tensor& to) {
  constexpr int kCopies = 10;
  const auto copy = [&] { at::Tensor(to).copy_(from, /*non_blocking=*/true); };
  copy();
  wait_until_idle(device);
  const TimePoint begin = Clock::now();
  for (int i = 0; i < kCopies; ++i) copy();
  wait_until_idle(device);
  return kCopies * static_cast<double>(from.nbytes()) / seconds_since(begin).count();
}

}  // namespace
}  // namespace libtorch

std::unique_ptr<DeviceBuffer> make_torch_device_buffer(const std::string& device, int64_t floats) {
  libtorch::require_built_version();
  return std::make_unique<libtorch::TorchDeviceBuffer>(libtorch::find_device(device), floats);
}

std::vector<std::pair<std::string, double>> torch_copy_speeds(const std::string& name) {
  constexpr int64_t kFloats = int64_t{16} << 20;
  libtorch::require_built_version();
  const at::Device device = libtorch::find_device(name);
  libtorch::make_current(device);
  const at::Tensor there = at::zeros({kFloats}, at::TensorOptions(device));
  const at::Tensor pinned = at::zeros({kFloats}, at::TensorOptions().pinned_memory(true));
  const at::Tensor pageable = at::zeros({kFloats});
  return {{"pinned memory to device", libtorch::bytes_per_second(device, pinned, there)},
          {"device to pinned memory", libtorch::bytes_per_second(device, there, pinned)},
          {"pageable memory to device", libtorch::bytes_per_second(device, pageable, there)}};
}

}  // namespace lockstep
