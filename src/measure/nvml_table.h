// nvml_table.h: the functions of NVIDIA's management library that we call, declared by ourselves.
//
// The library is part of the driver, and its C functions keep their form. A test compares this
// table with NVIDIA's nvml.h.
#pragma once

#include <cstdint>

namespace lockstep::nvml {

using Device = struct OpaqueDevice*;
using Text = char*;  // written by the function; its length is the next argument
using Number = unsigned int;
using LongNumber = unsigned long long;

inline constexpr int kSuccess = 0;
inline constexpr int kSmClock = 1, kMemoryClock = 2;          // nvmlClockType_t
inline constexpr int kUncorrected = 1, kSinceDriverLoad = 0;  // of ECC errors
inline constexpr int kPeerRead = 0, kPeerOk = 0;              // nvmlGpuP2PCapsIndex_t, ...Status_t
inline constexpr Number kTextSize = 96;                       // holds every text of the library

struct PciInfo {
  char short_address[16];
  Number domain, bus, device, device_id, subsystem_id;
  char address[32];
};

struct MemoryInfo {
  LongNumber total, free, used;  // bytes
};

struct Functions {
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  int (*driver_version)(Text version, Number length) = nullptr;
  int (*device_count)(Number* count) = nullptr;
  int (*device_by_index)(Number index, Device* device) = nullptr;
  int (*name)(Device device, Text name, Number length) = nullptr;
  int (*uuid)(Device device, Text uuid, Number length) = nullptr;
  int (*pci_info)(Device device, PciInfo* pci) = nullptr;
  int (*memory_info)(Device device, MemoryInfo* memory) = nullptr;
  int (*clock)(Device device, int type, Number* mhz) = nullptr;
  int (*max_clock)(Device device, int type, Number* mhz) = nullptr;
  int (*power_limit)(Device device, Number* milliwatts) = nullptr;
  int (*total_energy)(Device device, LongNumber* millijoules) = nullptr;
  int (*throttle_reasons)(Device device, LongNumber* reasons) = nullptr;
  int (*ecc_errors)(Device device, int error_type, int counter_type, LongNumber* count) = nullptr;
  int (*compute_capability)(Device device, int* major, int* minor) = nullptr;
  int (*peer_status)(Device device, Device other, int kind, int* status) = nullptr;
};

// Calls visit(name in the library, member) for all of them.
template <typename Table, typename Visit>
void for_each_function(Table& table, Visit&& visit) {
  visit("nvmlInit_v2", table.init);
  visit("nvmlShutdown", table.shutdown);
  visit("nvmlSystemGetDriverVersion", table.driver_version);
  visit("nvmlDeviceGetCount_v2", table.device_count);
  visit("nvmlDeviceGetHandleByIndex_v2", table.device_by_index);
  visit("nvmlDeviceGetName", table.name);
  visit("nvmlDeviceGetUUID", table.uuid);
  visit("nvmlDeviceGetPciInfo_v3", table.pci_info);
  visit("nvmlDeviceGetMemoryInfo", table.memory_info);
  visit("nvmlDeviceGetClockInfo", table.clock);
  visit("nvmlDeviceGetMaxClockInfo", table.max_clock);
  visit("nvmlDeviceGetEnforcedPowerLimit", table.power_limit);
  visit("nvmlDeviceGetTotalEnergyConsumption", table.total_energy);
  visit("nvmlDeviceGetCurrentClocksThrottleReasons", table.throttle_reasons);
  visit("nvmlDeviceGetTotalEccErrors", table.ecc_errors);
  visit("nvmlDeviceGetCudaComputeCapability", table.compute_capability);
  visit("nvmlDeviceGetP2PStatus", table.peer_status);
}

// Newer libraries may know a function by this name only.
inline constexpr const char* kThrottleReasonsToo = "nvmlDeviceGetCurrentClocksEventReasons";

// Bits of throttle_reasons() that make a GPU slower than it could be. Idle, and clocks that
// somebody chose, are not among them.
struct ThrottleReason {
  LongNumber bit;
  const char* what;
};
inline constexpr ThrottleReason kThrottleReasons[] = {
    {0x4, "power limit"},  {0x8, "hardware slowdown"},
    {0x20, "temperature"}, {0x40, "temperature (hardware)"},
    {0x80, "power brake"},
};

}  // namespace lockstep::nvml
