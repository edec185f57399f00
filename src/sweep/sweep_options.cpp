#include "sweep/sweep_options.h"

#include "base/error.h"
#include "launch/hosts.h"

namespace lockstep {

std::vector<Axis> axes_of(const SweepOptions& options, int cores) {
  std::vector<Axis> axes;
  for (const auto& [name, values] : options.lists) {
    axes.push_back(name == "models"      ? models_axis(values)
                   : name == "framework" ? frameworks_axis(values)
                                         : option_axis(name, values));
  }
  if (options.lists.contains("worker-hosts")) return axes;  // they give the number of workers
  // Over the hosts of a cluster, else over the cores of this machine.
  const auto hosts = options.lists.find("hosts");
  const std::string over = hosts == options.lists.end() ? "num-devices" : "nodes";
  if (options.lists.contains(over)) {
    if (options.max_devices > 0)
      throw UsageError("use either --{} or --max-devices, not both", over);
    return axes;
  }
  const int there =
      over == "nodes" ? static_cast<int>(read_hosts(hosts->second.front()).size()) : cores;
  const int most = options.max_devices > 0 ? options.max_devices : there;
  axes.push_back(option_axis(over, doubling(most)));
  return axes;
}

}  // namespace lockstep
