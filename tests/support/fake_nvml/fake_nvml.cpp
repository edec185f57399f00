// fake_nvml.cpp: a libnvidia-ml.so.1 for machines without a GPU, found through the library path.
//
// FAKE_NVML names a file that describes the GPUs, one word=value a line; "gpu=NAME" begins the
// next one. Without the file there are none, as with a driver and no card. Energy grows by one
// joule with every question, so that two answers differ without a clock.
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "measure/nvml_table.h"

using namespace lockstep::nvml;

namespace lockstep::nvml {
struct OpaqueDevice {
  std::map<std::string, std::string> facts;
  LongNumber energy = 0;  // millijoules

  LongNumber number(const char* name, LongNumber usual) const {
    const auto found = facts.find(name);
    return found == facts.end() ? usual : std::strtoull(found->second.c_str(), nullptr, 0);
  }
  std::string text(const char* name) const {
    const auto found = facts.find(name);
    return found == facts.end() ? "" : found->second;
  }
};
}  // namespace lockstep::nvml

namespace {

constexpr int kNotSupported = 3, kNoPermission = 4, kNotFound = 6, kNotLoaded = 9;

std::vector<OpaqueDevice>& gpus() {
  static std::vector<OpaqueDevice> all;
  return all;
}
std::string& driver() {
  static std::string version = "570.00";
  return version;
}

int copied(const std::string& text, Text to, Number length) {
  if (text.size() + 1 > length) return kNotFound;
  std::memcpy(to, text.c_str(), text.size() + 1);
  return kSuccess;
}

template <typename Value>
int told(Value* to, LongNumber value) {
  *to = static_cast<Value>(value);
  return kSuccess;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  const char* path = std::getenv("FAKE_NVML");
  std::ifstream file(path ? path : "");
  gpus().clear();
  for (std::string line; std::getline(file, line);) {
    const size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string word = line.substr(0, equals), value = line.substr(equals + 1);
    if (word == "broken") return kNotLoaded;
    if (word == "driver") driver() = value;
    if (word == "gpu") gpus().push_back({});
    if (!gpus().empty()) gpus().back().facts[word] = value;
  }
  return kSuccess;
}

int nvmlShutdown() { return kSuccess; }

int nvmlSystemGetDriverVersion(Text version, Number length) {
  return copied(driver(), version, length);
}

int nvmlDeviceGetCount_v2(Number* count) { return told(count, gpus().size()); }

int nvmlDeviceGetHandleByIndex_v2(Number index, Device* device) {
  if (index >= gpus().size()) return kNotFound;
  if (gpus()[index].facts.contains("hidden")) return kNoPermission;
  *device = &gpus()[index];
  return kSuccess;
}

int nvmlDeviceGetName(Device device, Text name, Number length) {
  return copied(device->text("gpu"), name, length);
}

int nvmlDeviceGetUUID(Device device, Text uuid, Number length) {
  return copied(device->text("uuid"), uuid, length);
}

int nvmlDeviceGetPciInfo_v3(Device device, PciInfo* pci) {
  *pci = {};
  pci->bus = static_cast<Number>(device->number("bus", 0));
  return kSuccess;
}

int nvmlDeviceGetMemoryInfo(Device device, MemoryInfo* memory) {
  *memory = {.total = device->number("memory", 80'000'000'000), .free = 0, .used = 0};
  return kSuccess;
}

int nvmlDeviceGetClockInfo(Device device, int type, Number* mhz) {
  return told(mhz, type == kSmClock ? device->number("clock", 1980) : 2619);
}

int nvmlDeviceGetMaxClockInfo(Device device, int, Number* mhz) {
  return told(mhz, device->number("max_clock", 1980));
}

int nvmlDeviceGetEnforcedPowerLimit(Device device, Number* milliwatts) {
  return told(milliwatts, device->number("power_limit", 700'000));
}

int nvmlDeviceGetTotalEnergyConsumption(Device device, LongNumber* millijoules) {
  if (device->facts.contains("no_energy")) return kNotSupported;
  return told(millijoules, device->energy += 1000);
}

int nvmlDeviceGetCurrentClocksThrottleReasons(Device device, LongNumber* reasons) {
  return told(reasons, device->number("throttle", 1));  // 1: idle
}

int nvmlDeviceGetTotalEccErrors(Device device, int, int, LongNumber* count) {
  return told(count, device->number("ecc", 0));
}

int nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  const LongNumber capability = device->number("capability", 90);
  *major = static_cast<int>(capability / 10);
  *minor = static_cast<int>(capability % 10);
  return kSuccess;
}

int nvmlDeviceGetP2PStatus(Device device, Device other, int, int* status) {
  const bool both = device->number("peer", 1) && other->number("peer", 1);
  *status = both ? kPeerOk : 1;
  return kSuccess;
}

}  // extern "C"
