// gpu_cores.h: gives every worker of a host the cores that are near its GPU.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/cores.h"

namespace lockstep {

// The NUMA node of a PCI device; absent: the machine has one, or does not say. `root` is where sys
// is found; tests give their own.
std::optional<int> numa_node_of(const std::string& pci_address,
                                const std::filesystem::path& root = "/");

// The cores of each worker, whose GPU is on `nodes[worker]`. Workers of one node share its cores
// equally. All of them may use `cores`. Empty: a node is not known, has no core among them, or has
// fewer cores than workers.
std::vector<CoreSet> cores_near_gpus(const CoreSet& cores,
                                     std::span<const std::optional<int>> nodes,
                                     const CoreMachine& machine = {});

}  // namespace lockstep
