// cores.h: the cores of this machine that a process may use.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace lockstep {

// Processor numbers as the system counts them, in order.
using CoreSet = std::vector<int>;

std::string core_text(const CoreSet& cores);   // "0-3,8"
CoreSet parse_cores(const std::string& text);  // throws Error

CoreSet allowed_cores();  // of this process
void bind_this_thread(
    const CoreSet& cores);  // and all that it starts; best effort: it may be forbidden

// The machine whose cores are divided. Tests describe theirs as hwloc's synthetic topologies.
struct CoreMachine {
  std::string synthetic = {};  // "pack:2 numa:1 core:4 pu:2"; empty: this machine
};

// The set in `parts` parts of neighbouring cores (caches, memory); the hardware threads of a core
// stay together as far as there are enough cores. Empty when there are fewer cores than parts.
std::vector<CoreSet> split_cores(const CoreSet& cores, int parts, const CoreMachine& machine = {});

// This many of the set, spread over the machine: two hardware threads of one core only when there
// are fewer cores than that. The whole set when it is not larger.
CoreSet spread_cores(const CoreSet& cores, int count, const CoreMachine& machine = {});

// Those of the set whose memory is this NUMA node, as the system counts them.
CoreSet cores_of_numa_node(const CoreSet& cores, int node, const CoreMachine& machine = {});

}  // namespace lockstep
