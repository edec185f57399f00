// agreement.cpp: does src/measure/nvml_table.h declare what NVIDIA's nvml.h declares? It compiles
// only if every function takes and returns values of the same size and kind, and every number and
// struct is the same. It is run to compare the names.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <nvml.h>

#include "measure/nvml_table.h"

namespace ours = lockstep::nvml;

template <typename A, typename B>
constexpr bool same_value() {
  if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
    using To = std::remove_pointer_t<A>;
    using Too = std::remove_pointer_t<B>;
    if constexpr (
        requires { sizeof(To); } && requires { sizeof(Too); }) {
      return sizeof(To) == sizeof(Too);
    } else {
      return true;  // handles
    }
  } else {
    constexpr bool numbers =
        (std::is_integral_v<A> || std::is_enum_v<A>)&&(std::is_integral_v<B> || std::is_enum_v<B>);
    return numbers && sizeof(A) == sizeof(B);
  }
}

template <typename A, typename B>
struct Same : std::false_type {};
template <typename R, typename S, typename... A, typename... B>
requires(sizeof...(A) == sizeof...(B)) struct Same<R (*)(A...), S (*)(B...)>
    : std::bool_constant<same_value<R, S>() && (same_value<A, B>() && ...)> {
};

std::vector<const char*> names;

#define AGREES(member, function)                                                                 \
  static_assert(Same<decltype(&function), decltype(ours::Functions::member)>::value, #function); \
  names.push_back(#function)

int main() {
  AGREES(init, nvmlInit_v2);
  AGREES(shutdown, nvmlShutdown);
  AGREES(driver_version, nvmlSystemGetDriverVersion);
  AGREES(device_count, nvmlDeviceGetCount_v2);
  AGREES(device_by_index, nvmlDeviceGetHandleByIndex_v2);
  AGREES(name, nvmlDeviceGetName);
  AGREES(uuid, nvmlDeviceGetUUID);
  AGREES(pci_info, nvmlDeviceGetPciInfo_v3);
  AGREES(memory_info, nvmlDeviceGetMemoryInfo);
  AGREES(clock, nvmlDeviceGetClockInfo);
  AGREES(max_clock, nvmlDeviceGetMaxClockInfo);
  AGREES(power_limit, nvmlDeviceGetEnforcedPowerLimit);
  AGREES(total_energy, nvmlDeviceGetTotalEnergyConsumption);
  AGREES(throttle_reasons, nvmlDeviceGetCurrentClocksThrottleReasons);
  AGREES(ecc_errors, nvmlDeviceGetTotalEccErrors);
  AGREES(compute_capability, nvmlDeviceGetCudaComputeCapability);
  AGREES(peer_status, nvmlDeviceGetP2PStatus);

  static_assert(sizeof(ours::PciInfo) == sizeof(nvmlPciInfo_t));
  static_assert(offsetof(ours::PciInfo, domain) == offsetof(nvmlPciInfo_t, domain));
  static_assert(offsetof(ours::PciInfo, bus) == offsetof(nvmlPciInfo_t, bus));
  static_assert(offsetof(ours::PciInfo, device) == offsetof(nvmlPciInfo_t, device));
  static_assert(offsetof(ours::PciInfo, address) == offsetof(nvmlPciInfo_t, busId));
  static_assert(sizeof(ours::MemoryInfo) == sizeof(nvmlMemory_t));
  static_assert(offsetof(ours::MemoryInfo, total) == offsetof(nvmlMemory_t, total));
  static_assert(ours::kSuccess == NVML_SUCCESS);
  static_assert(ours::kSmClock == NVML_CLOCK_SM && ours::kMemoryClock == NVML_CLOCK_MEM);
  static_assert(ours::kUncorrected == NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
  static_assert(ours::kSinceDriverLoad == NVML_VOLATILE_ECC);
  static_assert(ours::kPeerRead == NVML_P2P_CAPS_INDEX_READ && ours::kPeerOk == NVML_P2P_STATUS_OK);
  static_assert(ours::kTextSize >= NVML_DEVICE_NAME_V2_BUFFER_SIZE &&
                ours::kTextSize >= NVML_DEVICE_UUID_V2_BUFFER_SIZE &&
                ours::kTextSize >= NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE);
  constexpr unsigned long long kReasons[] = {
      nvmlClocksThrottleReasonSwPowerCap, nvmlClocksThrottleReasonHwSlowdown,
      nvmlClocksThrottleReasonSwThermalSlowdown, nvmlClocksThrottleReasonHwThermalSlowdown,
      nvmlClocksThrottleReasonHwPowerBrakeSlowdown};
  static_assert(std::size(kReasons) == std::size(ours::kThrottleReasons));

  int wrong = 0;
  for (size_t i = 0; i < std::size(kReasons); ++i) {
    wrong += kReasons[i] != ours::kThrottleReasons[i].bit;
  }
  ours::Functions table;
  size_t row = 0;
  ours::for_each_function(table, [&](const char* name, auto&) {
    if (row < names.size() && std::strcmp(name, names[row]) == 0) return void(++row);
    std::printf("the table says %s where nvml.h has %s\n", name,
                row < names.size() ? names[row] : "nothing");
    ++wrong;
    ++row;
  });
  if (row != names.size()) ++wrong;
  return wrong == 0 ? 0 : 1;
}
