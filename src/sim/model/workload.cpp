#include "sim/model/workload.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>

#include "base/error.h"
#include "nn/cost.h"
#include "nn/description/network_file.h"
#include "nn/parameters.h"

namespace lockstep {
namespace {

// Elements of an output cost about as much as this many multiply-adds: reading, writing and
// normalising them is bound by memory. From the ratio of arithmetic to bandwidth of GPUs and CPUs.
constexpr double kMacsPerElement = 80;

double cost_of_layer(const Graph& graph, NodeId id) {
  return static_cast<double>(forward_macs(graph, id)) +
         kMacsPerElement * static_cast<double>(graph.shape(id).elements());
}

// backward[id]: what the backward pass of a layer costs, in any unit.
void set_gradients(Workload& workload, const Graph& graph, const std::vector<double>& backward) {
  const std::vector<ParameterSpec> parameters = parameters_of(graph);
  std::vector<double> done(graph.nodes().size());
  double sum = 0;
  for (size_t id = done.size(); id-- > 0;) done[id] = sum += backward[id];
  workload.gradients.clear();
  workload.bytes = 0;
  for (size_t i = parameters.size(); i-- > 0;) {
    const ParameterSpec& parameter = parameters[i];
    const double bytes = 4.0 * static_cast<double>(parameter.shape.elements());
    workload.gradients.push_back(
        {.name = parameter.name, .bytes = bytes, .done = done[parameter.node] / sum});
    workload.bytes += bytes;
  }
  workload.creation.resize(parameters.size());
  std::iota(workload.creation.rbegin(), workload.creation.rend(), size_t{0});
}

Workload make_workload(const Model& model, const Graph& graph) {
  Workload workload{.model = model.name, .dataset = model.dataset, .image_size = model.image_size};
  const Cost cost = cost_of(graph);
  workload.parameters = cost.parameters;
  workload.forward_macs = cost.forward_macs;
  std::vector<double> backward;
  for (NodeId id = 0; id < std::ssize(graph.nodes()); ++id) {
    backward.push_back(cost_of_layer(graph, id));
  }
  set_gradients(workload, graph, backward);
  const std::vector<ParameterSpec> parameters = parameters_of(graph);
  std::vector<int64_t> floats;
  for (const ParameterSpec& each : parameters) floats.push_back(each.shape.elements());
  std::vector<ParameterId> order(parameters.size());
  std::iota(order.rbegin(), order.rend(), 0);
  workload.arena = std::make_shared<ParameterArena>(floats, order);
  return workload;
}

// A configuration of the network alone; that of a file is read.
RunConfig network_of(const RunConfig& run) {
  RunConfig alone;
  alone.model = run.model;
  alone.network = run.network;
  load_network(alone);
  return alone;
}

// Seconds of backward by layer, where the profile has them; its other layers take the rest's mean.
std::vector<double> measured_backward(const Graph& graph, const RunResult& profile) {
  std::map<std::string, double> seconds;
  for (const OpResult& op : profile.ops) {
    if (op.backward_seconds) seconds[op.layer] += *op.backward_seconds;
  }
  std::vector<double> backward;
  for (const Node& node : graph.nodes()) {
    const auto found = seconds.find(node.name);
    backward.push_back(found == seconds.end() ? 0 : found->second);
  }
  return backward;
}

}  // namespace

const Workload& workload_of(const RunConfig& run) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, Workload> built;  // networks do not change
  const RunConfig alone = network_of(run);
  const Model model = model_of(alone);
  const std::scoped_lock lock(mutex);
  const auto [at, fresh] = built.try_emplace(std::pair(model.name, alone.network));
  if (fresh) {
    at->second = make_workload(model, build(model));
    at->second.network = alone.network;
  }
  return at->second;
}

const Workload& workload_of(const std::string& model) {
  RunConfig run;
  run.model = model;
  return workload_of(run);
}

Workload workload_of(const RunConfig& run, const RunResult& profile) {
  Workload workload = workload_of(run);
  const Workload& profiled = workload_of(profile.config);
  if (profiled.model != workload.model || profiled.network != workload.network) {
    throw UsageError("--profile is a run of {}, not of {}; profile the same model",
                     profile.config.model, workload.model);
  }
  const auto& phases = profile.summary.mean_phases;
  const double forward = phases[static_cast<size_t>(Phase::Forward)];
  const double backward = phases[static_cast<size_t>(Phase::Backward)];
  if (forward > 0 && backward > 0) workload.forward_share = forward / (forward + backward);
  const Graph graph = build(model_of(network_of(run)));
  const std::vector<double> measured = measured_backward(graph, profile);
  if (std::accumulate(measured.begin(), measured.end(), 0.0) > 0) {
    set_gradients(workload, graph, measured);
  }
  return workload;
}

}  // namespace lockstep
