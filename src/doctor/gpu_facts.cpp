#include "doctor/gpu_facts.h"

#include "config/json.h"
#include "measure/gpu.h"

namespace lockstep {
namespace {

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::vector<int> not_peers_of(GpuLibrary& gpus, int gpu) {
  std::vector<int> without;
  for (int other = 0; other < gpus.count(); ++other) {
    if (other != gpu && gpus.peers(gpu, other) == false) without.push_back(other);
  }
  return without;
}

}  // namespace

Json gpu_facts() {
  Json facts = Json::array();
  const std::unique_ptr<GpuLibrary> gpus = open_gpus();
  for (int gpu = 0; gpus && gpu < gpus->count(); ++gpu) {
    const GpuInfo info = gpus->info(gpu);
    const GpuState state = gpus->state(gpu);
    facts.push_back({{"name", info.name},
                     {"uuid", info.uuid},
                     {"pci_address", info.pci_address},
                     {"driver", info.driver},
                     {"memory_bytes", or_null(info.memory_bytes)},
                     {"max_clock_mhz", or_null(info.max_clock_mhz)},
                     {"clock_mhz", or_null(state.clock_mhz)},
                     {"power_limit_watts", or_null(info.power_limit_watts)},
                     {"uncorrected_ecc_errors", or_null(info.ecc_errors)},
                     {"throttled", state.throttled},
                     {"no_peer_access_to", not_peers_of(*gpus, gpu)}});
  }
  return facts;
}

}  // namespace lockstep
