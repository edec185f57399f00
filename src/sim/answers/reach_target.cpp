#include "sim/answers/reach_target.h"

#include <algorithm>
#include <tuple>

#include "sim/answers/what_if.h"
#include "sim/step/server_step.h"

namespace lockstep {
namespace {

constexpr const char* kStrategies[] = {"replicated", "horovod", "parameter_server",
                                       "distributed_replicated"};

int devices_per_node(const Cluster& cluster, const Scenario& scenario) {
  return scenario.per_node > 0 ? scenario.per_node : cluster.devices_per_node;
}

Prediction on_nodes(const Cluster& cluster, const Workload& workload, Scenario scenario,
                    int nodes) {
  scenario.per_node = devices_per_node(cluster, scenario);
  scenario.devices = nodes * scenario.per_node;
  if (cluster.servers.on_workers) scenario.servers = std::min(scenario.servers, nodes);
  return predict(cluster, workload, scenario);
}

struct Found {
  int nodes = 0;  // the fewest that reach the target; 0: none does
  double images_per_second = 0;
  int best_nodes = 0;  // where throughput is highest, if none does
};

// Throughput may fall again with more nodes, so every number of nodes is tried; of large clusters
// steps of 1 %, and then those between the last two.
Found fewest_nodes(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                   double target) {
  const auto rate_on = [&](int nodes) {
    return on_nodes(cluster, workload, scenario, nodes).images_per_second;
  };
  Found best;
  const int most = worker_nodes(cluster, scenario);
  for (int nodes = 1, before = 0; before < most; nodes = std::min(most, nodes + 1 + nodes / 100)) {
    const double rate = rate_on(nodes);
    if (rate >= target) {
      int enough = nodes;
      while (enough - before > 1) {
        const int middle = before + (enough - before) / 2;
        (rate_on(middle) >= target ? enough : before) = middle;
      }
      return {.nodes = enough, .images_per_second = rate_on(enough), .best_nodes = enough};
    }
    if (rate > best.images_per_second) best = {0, rate, nodes};
    before = nodes;
  }
  return best;
}

// Of workers and of servers.
int all_nodes(const Cluster& cluster, Scenario scenario, int workers) {
  scenario.devices = workers * devices_per_node(cluster, scenario);
  if (scenario.devices == 1) return 1;  // it needs no servers
  return workers + server_nodes(cluster, scenario, layout_of(cluster, scenario));
}

}  // namespace

double cost_per_million(const Cluster& cluster, int nodes, double images_per_second) {
  constexpr double kSecondsPerHour = 3600;
  return cluster.price_per_node_hour * nodes / kSecondsPerHour * 1e6 / images_per_second;
}

std::vector<Plan> plans_for(const Cluster& cluster, const Workload& workload,
                            const Scenario& scenario, double images_per_second) {
  std::vector<Plan> plans;
  for (const char* strategy : kStrategies) {
    Scenario each = scenario;
    each.scheduler.clear();
    set_strategy(strategy, each);
    const Found found = fewest_nodes(cluster, workload, each, images_per_second);
    Plan plan{.strategy = strategy,
              .devices = found.nodes * devices_per_node(cluster, each),
              .images_per_second = found.images_per_second};
    if (found.best_nodes > 0) {
      const int all = all_nodes(cluster, each, found.best_nodes);
      if (found.nodes > 0) plan.nodes = all;
      plan.cost_per_million = cost_per_million(cluster, all, plan.images_per_second);
    }
    plans.push_back(plan);
  }
  std::ranges::stable_sort(plans, {}, [](const Plan& plan) {
    return std::tuple(plan.nodes == 0, plan.nodes, plan.cost_per_million, -plan.images_per_second);
  });
  return plans;
}

}  // namespace lockstep
