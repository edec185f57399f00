#include "run/rank/agreed_device.h"

#include "base/error.h"
#include "comm/gather.h"

namespace lockstep {
namespace {

void count_gpus(WorkerView& view, const EngineKind& engine) {
  const std::optional<Accelerators> found =
      engine.accelerators ? engine.accelerators() : std::nullopt;
  if (!found) return;
  view.knows_gpus = true;
  for (int gpu = 0; gpu < found->count; ++gpu) view.gpus.push_back({.id = std::to_string(gpu)});
}

}  // namespace

std::string named_device(const std::string& device, const EngineKind* engine) {
  if (device != "gpu") return device;
  const bool asks = engine && engine->accelerators;
  const std::optional<Accelerators> found = asks ? engine->accelerators() : std::nullopt;
  if (!found) throw UsageError("--device gpu: LibTorch sees no GPU here; use --device cpu");
  return found->name;
}

RankDevice agreed_device(const RunConfig& run, Group& group, GpuLibrary* gpus,
                         const EngineKind* engine, const Environment& environment) {
  if (run.device == "cpu") return {.device = run.device};
  WorkerView mine = visible_gpus(gpus, environment);
  if (!mine.knows_gpus && engine) count_gpus(mine, *engine);
  mine.host = group.roster().members[static_cast<size_t>(group.rank())].host;
  mine.cores = allowed_cores();
  std::vector<WorkerView> all;
  for (const std::string& text : all_gather(group.control(), view_text(mine))) {
    all.push_back(view_from_text(text, static_cast<int>(all.size())));
  }
  RunConfig named = run;
  named.device = named_device(run.device, engine);
  return rank_devices(named, all)[static_cast<size_t>(group.rank())];
}

}  // namespace lockstep
