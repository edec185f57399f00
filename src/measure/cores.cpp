#include "measure/cores.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <sched.h>

#include <algorithm>
#include <climits>
#include <memory>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

constexpr int64_t kMostCores = 1 << 20;

using Bitmap = std::unique_ptr<hwloc_bitmap_s, decltype(&hwloc_bitmap_free)>;
using TopologyHandle = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

Bitmap bitmap_of(const CoreSet& cores) {
  Bitmap bitmap(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  for (const int core : cores) hwloc_bitmap_set(bitmap.get(), static_cast<unsigned>(core));
  return bitmap;
}

CoreSet cores_of(hwloc_const_bitmap_t bitmap) {
  CoreSet cores;
  for (int core = hwloc_bitmap_first(bitmap); core >= 0; core = hwloc_bitmap_next(bitmap, core)) {
    cores.push_back(core);
  }
  return cores;
}

TopologyHandle topology_of(const CoreSet& cores, const CoreMachine& machine) {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) throw Error("cannot read the machine's topology");
  TopologyHandle handle(topology, hwloc_topology_destroy);
  if (!machine.synthetic.empty() &&
      hwloc_topology_set_synthetic(topology, machine.synthetic.c_str()) != 0) {
    throw Error("'{}' is not a synthetic topology of hwloc", machine.synthetic);
  }
  if (hwloc_topology_load(topology) != 0 ||
      hwloc_topology_restrict(topology, bitmap_of(cores).get(), 0) != 0) {
    throw Error("cannot read the machine's topology");
  }
  return handle;
}

}  // namespace

std::string core_text(const CoreSet& cores) {
  std::string text;
  for (size_t begin = 0; begin < cores.size();) {
    size_t end = begin + 1;
    while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
    text += text.empty() ? "" : ",";
    text += end - begin == 1 ? fmt::format("{}", cores[begin])
                             : fmt::format("{}-{}", cores[begin], cores[end - 1]);
    begin = end;
  }
  return text;
}

CoreSet parse_cores(const std::string& text) {
  CoreSet cores;
  for (const std::string& range : split(text, ',')) {
    const std::vector<std::string> ends = split(range, '-');
    const auto first = whole_number(ends.front()), last = whole_number(ends.back());
    const bool valid = ends.size() <= 2 && first && last && *first >= 0 && *last <= kMostCores;
    // In total, too: a short text could name the same cores any number of times.
    if (!valid || std::ssize(cores) + *last - *first > kMostCores) {
      throw Error("'{}' is not a list of cores such as 0-3,8", text);
    }
    for (int64_t core = *first; core <= *last; ++core) cores.push_back(static_cast<int>(core));
  }
  return cores;
}

CoreSet allowed_cores() {
  cpu_set_t set;
  CoreSet cores;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

void bind_this_thread(const CoreSet& cores) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int core : cores) CPU_SET(core, &set);
  sched_setaffinity(0, sizeof set, &set);
}

std::vector<CoreSet> split_cores(const CoreSet& cores, int parts, const CoreMachine& machine) {
  if (parts < 1 || static_cast<int>(cores.size()) < parts) return {};
  const TopologyHandle topology = topology_of(cores, machine);
  hwloc_obj_t root = hwloc_get_root_obj(topology.get());
  std::vector<hwloc_bitmap_t> sets(static_cast<size_t>(parts));
  hwloc_distrib(topology.get(), &root, 1, sets.data(), static_cast<unsigned>(parts), INT_MAX, 0);
  std::vector<CoreSet> result;
  for (hwloc_bitmap_t set : sets) {
    result.push_back(cores_of(set));
    hwloc_bitmap_free(set);
  }
  return result;
}

CoreSet spread_cores(const CoreSet& cores, int count, const CoreMachine& machine) {
  if (static_cast<int>(cores.size()) <= count) return cores;
  CoreSet chosen;
  for (const CoreSet& part : split_cores(cores, count, machine)) chosen.push_back(part.front());
  std::ranges::sort(chosen);
  return chosen;
}

CoreSet cores_of_numa_node(const CoreSet& cores, int node, const CoreMachine& machine) {
  if (cores.empty()) return {};
  const TopologyHandle topology = topology_of(cores, machine);
  const hwloc_obj_t memory =
      hwloc_get_numanode_obj_by_os_index(topology.get(), static_cast<unsigned>(node));
  return memory ? cores_of(memory->cpuset) : CoreSet{};
}

}  // namespace lockstep
