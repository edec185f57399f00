#include "measure/gpu_cores.h"

#include <algorithm>
#include <fstream>
#include <map>

namespace lockstep {

std::optional<int> numa_node_of(const std::string& pci_address, const std::filesystem::path& root) {
  std::ifstream file(root / "sys/bus/pci/devices" / pci_address / "numa_node");
  int node = -1;
  if (!(file >> node) || node < 0) return {};  // -1: the firmware does not say
  return node;
}

std::vector<CoreSet> cores_near_gpus(const CoreSet& cores,
                                     std::span<const std::optional<int>> nodes,
                                     const CoreMachine& machine) {
  std::map<int, std::vector<size_t>> workers_of;
  for (size_t worker = 0; worker < nodes.size(); ++worker) {
    if (!nodes[worker]) return {};
    workers_of[*nodes[worker]].push_back(worker);
  }
  std::vector<CoreSet> result(nodes.size());
  for (const auto& [node, workers] : workers_of) {
    const CoreSet near = cores_of_numa_node(cores, node, machine);
    const auto parts = split_cores(near, static_cast<int>(workers.size()), machine);
    if (parts.empty()) return {};
    for (size_t i = 0; i < workers.size(); ++i) result[workers[i]] = parts[i];
  }
  return result;
}

}  // namespace lockstep
