// fake_backend.cpp: makes the fake known to LibTorch: device guard, hooks, allocators.
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <cstdlib>
#include <stdexcept>

#include "fake_accelerator/fake_device.h"
#include "fake_accelerator/fake_graph.h"
#include "fake_accelerator/fake_memory.h"
#include "fake_accelerator/fake_stream.h"

namespace lockstep::fake {
namespace {

constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;

c10::Device device_at(int index) { return {kType, static_cast<c10::DeviceIndex>(index)}; }

// Without an index: the current one.
int index_of(c10::Device device) { return device.has_index() ? device.index() : current_device(); }

c10::Stream as_stream(const FakeStream& stream) {
  return c10::Stream(c10::Stream::UNSAFE, device_at(stream.device()), stream.id());
}
FakeStream& fake_of(const c10::Stream& stream) {
  return stream_of(stream.device_index(), stream.id());
}

using SharedEvent = std::shared_ptr<FakeEvent>;
FakeEvent& fake_of(void* event) { return **static_cast<SharedEvent*>(event); }

class Guard final : public c10::impl::DeviceGuardImplInterface {
 public:
  c10::DeviceType type() const override { return kType; }
  c10::Device getDevice() const override { return device_at(current_device()); }
  void setDevice(c10::Device device) const override { uncheckedSetDevice(device); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    if (device.has_index()) set_current_device(device.index());
  }
  c10::Device exchangeDevice(c10::Device device) const override {
    const c10::Device before = getDevice();
    setDevice(device);
    return before;
  }
  c10::DeviceIndex deviceCount() const noexcept override { return kDevices; }

  c10::Stream getStream(c10::Device device) const override {
    return as_stream(current_stream(index_of(device)));
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return as_stream(stream_of(index_of(device), 0));
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    return as_stream(new_stream(index_of(device)));
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getNewStream(device, 0);
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    const int device = stream.device_index();
    return c10::Stream(c10::Stream::UNSAFE, device_at(device),
                       exchange_current_stream(device, stream.id()));
  }
  void* getStreamNativeHandle(const c10::Stream stream) const override {
    return static_cast<FakeQueue*>(&fake_of(stream));
  }
  bool queryStream(const c10::Stream& stream) const override {
    throw_after_fault();
    return fake_of(stream).idle();
  }
  void synchronizeStream(const c10::Stream& stream) const override {
    count_synchronisation();
    fake_of(stream).wait_until_idle();
    throw_after_fault();
  }
  void synchronizeDevice(const c10::DeviceIndex device) const override {
    count_synchronisation();
    wait_for_all_streams(device);
    throw_after_fault();
  }

  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex,
              const c10::EventFlag) const override {
    throw_after_fault();
    if (!*event) *event = new SharedEvent(std::make_shared<FakeEvent>());
    fake_of(*event).record(fake_of(stream));
  }
  void block(void* event, const c10::Stream& stream) const override {
    throw_after_fault();
    fake_of(event).block(fake_of(stream));
  }
  bool queryEvent(void* event) const override {
    throw_after_fault();
    return fake_of(event).query();
  }
  void synchronizeEvent(void* event) const override {
    count_synchronisation();
    fake_of(event).wait();
    throw_after_fault();
  }
  double elapsedTime(void* from, void* to, const c10::DeviceIndex) const override {
    return fake_of(from).milliseconds_until(fake_of(to));
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<SharedEvent*>(event);
  }
  void recordDataPtrOnStream(const c10::DataPtr& data, const c10::Stream& stream) const override {
    if (data.get_context()) also_used_by(data.get_context(), fake_of(stream));
  }
};
C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

class DeviceMemory final : public c10::DeviceAllocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    throw_after_fault();
    const int device = current_device();
    void* const address = bytes > 0 ? allocate_device(bytes, current_stream(device)) : nullptr;
    return {address, address, raw_deleter(), device_at(device)};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return [](void* address) {
      if (address) free_device(address);
    };
  }
  void copy_data(void*, const void*, size_t) const override {
    throw std::logic_error("fake accelerator: nobody copies through the allocator");
  }
  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override {}
  void recordStream(const c10::DataPtr& data, c10::Stream stream) override {
    Guard().recordDataPtrOnStream(data, stream);
  }
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex) override { return {}; }
  void resetAccumulatedStats(c10::DeviceIndex) override {}
  void resetPeakStats(c10::DeviceIndex) override {}
};
DeviceMemory& device_memory() {
  static DeviceMemory* const only = new DeviceMemory;
  return *only;
}
REGISTER_ALLOCATOR(kType, &device_memory())

class PinnedMemory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    void* const address = bytes > 0 ? allocate_pinned(bytes) : nullptr;
    return {address, address, raw_deleter(), c10::DeviceType::CPU};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return [](void* address) {
      if (address) free_pinned(address);
    };
  }
  void copy_data(void* to, const void* from, size_t bytes) const override {
    default_copy_data(to, from, bytes);
  }
};

class Hooks final : public at::PrivateUse1HooksInterface {
 public:
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return kDevices; }
  void setCurrentDevice(c10::DeviceIndex device) const override { set_current_device(device); }
  c10::DeviceIndex getCurrentDevice() const override {
    return static_cast<c10::DeviceIndex>(current_device());
  }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    const c10::DeviceIndex before = getCurrentDevice();
    set_current_device(device);
    return before;
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    return exchangeDevice(device);
  }
  bool isPinnedPtr(const void* address) const override { return is_pinned(address); }
  c10::Allocator* getPinnedMemoryAllocator() const override {
    static PinnedMemory* const only = new PinnedMemory;
    return only;
  }
  c10::Device getDeviceFromPtr(void*) const override { return device_at(current_device()); }
};

[[maybe_unused]] const bool registered = [] {
  c10::register_privateuse1_backend("fake");
  at::RegisterPrivateUse1HooksInterface(new Hooks);
  register_graphs();
  if (const char* const kernels = std::getenv("FAKE_DEVICE_FAULT")) {
    fail_after(std::atoll(kernels), "fake accelerator: illegal memory access");
  }
  if (const char* const bytes = std::getenv("FAKE_DEVICE_MEMORY")) limit_memory(std::atoll(bytes));
  return true;
}();

}  // namespace
}  // namespace lockstep::fake
