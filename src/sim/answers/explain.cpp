#include "sim/answers/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/answers/what_if.h"
#include "sim/step/server_step.h"

namespace lockstep {
namespace {

constexpr std::pair<Limit, std::string_view> kNames[] = {
    {Limit::Compute, "compute"},
    {Limit::Bandwidth, "network bandwidth"},
    {Limit::NodeBandwidth, "bandwidth inside nodes"},
    {Limit::Software, "the software that moves the bytes"},
    {Limit::Latency, "latency"},
    {Limit::HotServer, "a hot server"},
    {Limit::Barrier, "the barrier of parameter servers"},
    {Limit::LateRanks, "late ranks"},
    {Limit::SharedNode, "devices that slow each other"},
    {Limit::SlowNodes, "slow nodes"},
    {Limit::Input, "input"},
    {Limit::Overhead, "overhead of hooks and launches"}};

// What is tried. A gain of the first four says what a transfer waits for.
struct Trial {
  const char* what;    // in a sentence
  const char* change;  // of what_if.h
  Limit limit = Limit::Compute;
};
constexpr Trial kTrials[] = {
    {"twice the network's bandwidth", "bandwidth=2x", Limit::Bandwidth},
    {"twice the bandwidth inside nodes", "node-bandwidth=2x", Limit::NodeBandwidth},
    {"software that moves twice as many bytes", "software=2x", Limit::Software},
    {"half the latency", "latency=0.5x", Limit::Latency},
    {"gradients in fp16", "compression=fp16"},
    {"twice the batch size", nullptr},
    {"ranks without jitter", "no-jitter"},
};

double gain_of(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
               double base) {
  return predict(cluster, workload, scenario).images_per_second / base - 1;
}

std::vector<Improvement> improvements_of(const Cluster& cluster, const Workload& workload,
                                         const Scenario& scenario, double base) {
  std::vector<Improvement> all;
  for (const Trial& trial : kTrials) {
    const std::string text =
        trial.change ? trial.change : fmt::format("batch-size={}", 2 * scenario.batch);
    if (scenario.uses_servers() && text.starts_with("compression=")) continue;  // not supported
    const Change change = changed(text, cluster, scenario);
    all.push_back({trial.what, gain_of(change.cluster, workload, change.scenario, base)});
  }
  const Layout layout = layout_of(cluster, scenario);
  if (layout.ranks > 1 && scenario.uses_servers()) {
    const int servers = servers_in(cluster, scenario, layout);
    const bool own = !cluster.servers.on_workers;
    if (2 * servers <= (own ? cluster.nodes - layout.nodes : layout.nodes)) {
      Scenario more = scenario;
      more.servers = 2 * servers;
      all.push_back({"twice as many parameter servers", gain_of(cluster, workload, more, base)});
    }
    Scenario sharded = scenario;
    sharded.sharded = true;
    all.push_back({"large variables spread over all servers (--ps-placement sharded)",
                   gain_of(cluster, workload, sharded, base)});
    Scenario reduced = scenario;
    set_strategy("replicated", reduced);
    all.push_back({"all-reduce instead of servers", gain_of(cluster, workload, reduced, base)});
  }
  if (scenario.real_data) {
    Scenario synthetic = scenario;
    synthetic.real_data = false;
    all.push_back({"input that is always ready", gain_of(cluster, workload, synthetic, base)});
  }
  std::ranges::stable_sort(all, std::greater<>(), &Improvement::gain);
  return all;
}

double gain_named(const std::vector<Improvement>& all, std::string_view what) {
  const auto found = std::ranges::find(all, what, &Improvement::what);
  return found == all.end() ? 0 : found->gain;
}

// Of what transfers wait for, that whose doubling helps most.
Limit transfer_limit(const Explanation& found) {
  Limit limit = Limit::Bandwidth;
  double most = 0;
  for (const Trial& trial : kTrials) {
    const double gain =
        trial.limit == Limit::Compute ? 0 : gain_named(found.improvements, trial.what);
    if (gain > most) {
      most = gain;
      limit = trial.limit;
    }
  }
  return limit;
}

Limit communication_limit(const Cluster& cluster, const Scenario& scenario,
                          const Prediction& prediction, const Explanation& found) {
  if (prediction.hot_server_share > 0) {
    if (prediction.latency_time > prediction.exposed / 2) return Limit::Barrier;
    const Layout layout = layout_of(cluster, scenario);
    if (layout.nodes > 1 && prediction.hot_server_share > 1.5 / layout.nodes) {
      return Limit::HotServer;
    }
  }
  return transfer_limit(found);
}

// The largest of the parts by which a step is longer than that of one device.
Limit limit_of(const Cluster& cluster, const Scenario& scenario, const Prediction& prediction,
               const Explanation& found) {
  constexpr double kLittle = 0.05;
  if (found.lost < kLittle) return Limit::Compute;
  const double overhead = scenario.update == UpdateKind::AllReduce && scenario.devices > 1
                              ? scenario.one_device_step * cluster.schedule.overhead
                              : 0;
  const double slower = prediction.forward + prediction.backward - scenario.one_device_step -
                        prediction.slowed - overhead;
  // Kernels that collectives slow down wait for the network as well.
  const std::pair<double, Limit> parts[] = {
      {prediction.exposed + prediction.slowed, Limit::Bandwidth},
      {prediction.late, Limit::LateRanks},
      {prediction.input, Limit::Input},
      {overhead, Limit::Overhead},
      {slower, scenario.slow_nodes > 0 ? Limit::SlowNodes : Limit::SharedNode}};
  const auto largest = std::ranges::max_element(parts, {}, [](auto& part) { return part.first; });
  if (largest->second != Limit::Bandwidth) return largest->second;
  return communication_limit(cluster, scenario, prediction, found);
}

}  // namespace

std::string_view name_of(Limit limit) {
  for (const auto& [each, name] : kNames) {
    if (each == limit) return name;
  }
  return "";
}

std::string Explanation::sentence() const {
  constexpr double kWorth = 0.01;
  if (limit == Limit::Compute) return "limited by compute; only faster devices help much";
  std::string text = fmt::format("limited by {}, the largest part of the {:.0f} % that is lost",
                                 name_of(limit), 100 * lost);
  if (!improvements.empty() && improvements.front().gain > kWorth) {
    text += fmt::format("; {} would give {:+.0f} %", improvements.front().what,
                        100 * improvements.front().gain);
  }
  return text;
}

Explanation explain(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                    const Prediction& prediction) {
  Explanation found;
  found.lost = 1 - scenario.one_device_step / prediction.step;
  // Gains are between formulas, also when the prediction came from messages.
  const double base = predict(cluster, workload, scenario).images_per_second;
  found.improvements = improvements_of(cluster, workload, scenario, base);
  found.limit = limit_of(cluster, scenario, prediction, found);
  return found;
}

}  // namespace lockstep
