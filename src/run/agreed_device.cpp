#include "run/agreed_device.h"

#include "comm/gather.h"

namespace lockstep {

RankDevice agreed_device(const RunConfig& run, Group& group, GpuLibrary* gpus,
                         const Environment& environment) {
  if (run.device == "cpu") return {.device = run.device};
  WorkerView mine = visible_gpus(gpus, environment);
  mine.host = group.roster().members[static_cast<size_t>(group.rank())].host;
  mine.cores = allowed_cores();
  std::vector<WorkerView> all;
  for (const std::string& text : all_gather(group.control(), view_text(mine))) {
    all.push_back(view_from_text(text));
  }
  return rank_devices(run, all)[static_cast<size_t>(group.rank())];
}

}  // namespace lockstep
