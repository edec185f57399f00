#include "run/rank/rank_device.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "config/json.h"
#include "measure/gpu_cores.h"
#include "run/peer_text.h"

namespace lockstep {
namespace {

// By number, or by a UUID's beginning that no other has. Absent: CUDA ends its list there.
std::optional<size_t> gpu_named(const std::string& name, std::span<const VisibleGpu> all) {
  if (const auto number = whole_number(name)) {
    const bool exists = *number >= 0 && *number < std::ssize(all);
    return exists ? std::optional(static_cast<size_t>(*number)) : std::nullopt;
  }
  std::optional<size_t> found;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!all[i].id.starts_with(name)) continue;
    if (found) return {};
    found = i;
  }
  return found;
}

std::vector<VisibleGpu> gpus_of(GpuLibrary& library) {
  std::vector<VisibleGpu> all;
  for (int gpu = 0; gpu < library.count(); ++gpu) {
    const GpuInfo info = library.info(gpu);
    all.push_back({info.uuid, gpu, numa_node_of(info.pci_address)});
  }
  return all;
}

std::vector<std::string> ids_of(const WorkerView& view) {
  std::vector<std::string> ids;
  for (const VisibleGpu& gpu : view.gpus) ids.push_back(gpu.id);
  return ids;
}

bool share_gpus(const WorkerView& one, const WorkerView& other) {
  return one.host == other.host && ids_of(one) == ids_of(other);
}

// N of --device cuda:N.
std::optional<size_t> given_number(const RunConfig& run) {
  const size_t colon = run.device.find(':');
  if (colon == std::string::npos) return {};
  const auto number = whole_number(std::string_view(run.device).substr(colon + 1));
  if (!number || *number < 0) {
    throw UsageError("--device {}: no number of a GPU after the colon", run.device);
  }
  return static_cast<size_t>(*number);
}

size_t only_choice(const RunConfig& run, size_t number, const std::string& host, size_t sharers) {
  if (!run.gpu_indices.empty()) {
    throw UsageError("--gpu-indices {}: --device {} names a GPU already; use one of them",
                     run.gpu_indices, run.device);
  }
  if (sharers > 1) {
    throw UsageError(
        "--device {}: host {} has {} workers, and each needs a GPU of its own; use --device {} "
        "(--gpu-indices chooses GPUs)",
        run.device, host, sharers, run.device.substr(0, run.device.find(':')));
  }
  return number;
}

// Which of the GPUs that it sees a worker takes, as one of `sharers` workers that see the same.
size_t choice_of(const RunConfig& run, const WorkerView& view, size_t position, size_t sharers) {
  // Slurm shows every task its own GPU as number 0, and nothing here could tell them apart.
  const bool alone = view.knows_gpus && !view.identified && view.gpus.size() == 1;
  if (const auto number = given_number(run)) {
    return only_choice(run, *number, view.host, alone ? 1 : sharers);
  }
  const std::vector<int> listed = gpu_indices(run);
  if (listed.empty() && alone) return 0;
  if (!listed.empty() && position >= listed.size()) {
    throw UsageError("--gpu-indices {}: host {} has {} workers; name a GPU for each",
                     run.gpu_indices, view.host, sharers);
  }
  const size_t chosen = listed.empty() ? position : static_cast<size_t>(listed[position]);
  if (!view.knows_gpus || chosen < view.gpus.size()) return chosen;
  if (!listed.empty()) {
    throw UsageError("--gpu-indices {}: host {} has {}; use numbers below {}", run.gpu_indices,
                     view.host, count_text(std::ssize(view.gpus), "GPU"), view.gpus.size());
  }
  throw UsageError("host {}: {} but {}; use at most {} there (--num-devices)", view.host,
                   count_text(static_cast<int64_t>(sharers), "worker"),
                   count_text(std::ssize(view.gpus), "GPU"),
                   count_text(std::ssize(view.gpus), "worker"));
}

// Workers that may use the same cores divide them by the nodes of their GPUs.
void add_cores(std::span<const WorkerView> workers, std::span<const std::optional<int>> nodes,
               const CoreMachine& machine, std::vector<RankDevice>& devices) {
  for (size_t rank = 0; rank < workers.size(); ++rank) {
    std::vector<size_t> sharers;
    std::vector<std::optional<int>> their_nodes;
    for (size_t other = 0; other < workers.size(); ++other) {
      if (workers[other].host != workers[rank].host) continue;
      if (workers[other].cores != workers[rank].cores) continue;
      sharers.push_back(other);
      their_nodes.push_back(nodes[other]);
    }
    if (sharers.front() != rank) continue;  // done with the first of them
    const auto near = cores_near_gpus(workers[rank].cores, their_nodes, machine);
    for (size_t i = 0; i < near.size(); ++i) devices[sharers[i]].cores = near[i];
  }
}

WorkerView view_from_json(const Json& json) {
  const auto or_absent = [](int number) {
    return number < 0 ? std::nullopt : std::optional(number);
  };
  WorkerView view = {.host = json.at("host"),
                     .cores = json.at("cores").get<CoreSet>(),
                     .knows_gpus = json.at("knows_gpus"),
                     .identified = json.at("identified")};
  for (const Json& gpu : json.at("gpus")) {
    view.gpus.push_back({gpu.at(0).get<std::string>(), or_absent(gpu.at(1).get<int>()),
                         or_absent(gpu.at(2).get<int>())});
  }
  return view;
}

}  // namespace

WorkerView visible_gpus(GpuLibrary* library, const Environment& environment) {
  const auto visible = environment("CUDA_VISIBLE_DEVICES");
  WorkerView view = {.host = {}, .cores = {}, .knows_gpus = library || visible};
  view.identified = library != nullptr;
  const std::vector<VisibleGpu> all = library ? gpus_of(*library) : std::vector<VisibleGpu>{};
  if (!visible) {
    view.gpus = all;
    return view;
  }
  for (const std::string& name : split(*visible, ',')) {
    if (name.empty() || name.starts_with('-')) break;
    if (!library || name.starts_with("MIG-")) {
      view.gpus.push_back({.id = name});
      continue;
    }
    const auto found = gpu_named(name, all);
    if (!found) break;
    view.gpus.push_back(all[*found]);
  }
  return view;
}

std::vector<RankDevice> rank_devices(const RunConfig& run, std::span<const WorkerView> workers,
                                     const CoreMachine& machine) {
  std::vector<RankDevice> devices(workers.size(), RankDevice{.device = run.device});
  if (run.device == "cpu") return devices;
  const std::string kind = run.device.substr(0, run.device.find(':'));
  std::vector<std::optional<int>> nodes(workers.size());
  for (size_t rank = 0; rank < workers.size(); ++rank) {
    const WorkerView& view = workers[rank];
    size_t position = 0, sharers = 0;
    for (size_t other = 0; other < workers.size(); ++other) {
      if (!share_gpus(view, workers[other])) continue;
      if (other == rank) position = sharers;
      ++sharers;
    }
    const size_t chosen = choice_of(run, view, position, sharers);
    devices[rank].device = fmt::format("{}:{}", kind, chosen);
    if (chosen < view.gpus.size()) {
      devices[rank].library_index = view.gpus[chosen].library_index;
      nodes[rank] = view.gpus[chosen].numa_node;
    }
  }
  add_cores(workers, nodes, machine, devices);
  return devices;
}

std::vector<int> gpu_indices(const RunConfig& run) {
  constexpr int kMost = 1024;
  std::vector<int> listed;
  if (run.gpu_indices.empty()) return listed;
  for (const std::string& part : split(run.gpu_indices, ',')) {
    const auto number = whole_number(part);
    const bool fits = number && *number >= 0 && *number < kMost;
    if (!fits || std::ranges::count(listed, *number)) {
      throw UsageError("--gpu-indices must be a list of different GPUs such as 0,2, not '{}'",
                       run.gpu_indices);
    }
    listed.push_back(static_cast<int>(*number));
  }
  if (std::ssize(listed) < run.num_devices) {
    throw UsageError("--gpu-indices {}: --num-devices {} needs as many GPUs; name one for each",
                     run.gpu_indices, run.num_devices);
  }
  return listed;
}

std::string view_text(const WorkerView& view) {
  const auto or_none = [](const std::optional<int>& number) { return number.value_or(-1); };
  Json gpus = Json::array();
  for (const VisibleGpu& gpu : view.gpus) {
    gpus.push_back({gpu.id, or_none(gpu.library_index), or_none(gpu.numa_node)});
  }
  return Json{{"host", view.host},
              {"cores", view.cores},
              {"knows_gpus", view.knows_gpus},
              {"identified", view.identified},
              {"gpus", gpus}}
      .dump();
}

WorkerView view_from_text(const std::string& text, int rank) {
  return read_from_peer(rank, "its list of GPUs", text, view_from_json);
}

}  // namespace lockstep
