#include "sweep/sweep_options.h"

#include "base/error.h"
#include "launch/hosts.h"

namespace lockstep {

std::vector<Axis> axes_of(const SweepWishes& wishes, int cores) {
  if (!wishes.lists.contains("models") && !wishes.lists.contains("model")) {
    throw UsageError("say what to measure: --models NAME:BATCH,...");
  }
  std::vector<Axis> axes;
  for (const auto& [name, values] : wishes.lists) {
    axes.push_back(name == "models" ? models_axis(values) : option_axis(name, values));
  }
  if (wishes.lists.contains("worker-hosts")) return axes;  // which say how many there are
  // Over the hosts of a cluster, else over the cores of this machine.
  const auto hosts = wishes.lists.find("hosts");
  const std::string over = hosts == wishes.lists.end() ? "num-devices" : "nodes";
  if (wishes.lists.contains(over)) {
    if (wishes.max_devices > 0) throw UsageError("give one of --{} and --max-devices", over);
    return axes;
  }
  const int there =
      over == "nodes" ? static_cast<int>(read_hosts(hosts->second.front()).size()) : cores;
  const int most = wishes.max_devices > 0 ? wishes.max_devices : there;
  axes.push_back(option_axis(over, doubling(most)));
  return axes;
}

}  // namespace lockstep
