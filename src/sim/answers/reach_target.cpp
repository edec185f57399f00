#include "sim/answers/reach_target.h"

#include <algorithm>
#include <tuple>

#include "sim/answers/what_if.h"

namespace lockstep {
namespace {

constexpr const char* kStrategies[] = {"replicated", "horovod", "parameter_server",
                                       "distributed_replicated"};

Prediction on_nodes(const Cluster& cluster, const Workload& workload, Scenario scenario,
                    int nodes) {
  scenario.devices = nodes * cluster.devices_per_node;
  scenario.per_node = cluster.devices_per_node;
  return predict(cluster, workload, scenario);
}

// Doubles until the target is reached, then halves the rest: throughput grows with nodes until a
// strategy no longer scales.
int fewest_nodes(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
                 double target) {
  const auto reached = [&](int nodes) {
    return on_nodes(cluster, workload, scenario, nodes).images_per_second >= target;
  };
  int enough = 1, few = 0;
  while (!reached(enough)) {
    if (enough == cluster.nodes) return 0;
    few = enough;
    enough = std::min(2 * enough, cluster.nodes);
  }
  while (enough - few > 1) {
    const int middle = few + (enough - few) / 2;
    (reached(middle) ? enough : few) = middle;
  }
  return enough;
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
    each.servers = 0;
    set_strategy(strategy, each);
    Plan plan{.strategy = strategy,
              .nodes = fewest_nodes(cluster, workload, each, images_per_second)};
    const int nodes = plan.nodes > 0 ? plan.nodes : cluster.nodes;
    plan.devices = plan.nodes * cluster.devices_per_node;
    plan.images_per_second = on_nodes(cluster, workload, each, nodes).images_per_second;
    plan.cost_per_million = cost_per_million(cluster, nodes, plan.images_per_second);
    plans.push_back(plan);
  }
  std::ranges::stable_sort(plans, {}, [](const Plan& plan) {
    return std::tuple(plan.nodes == 0, plan.nodes, plan.cost_per_million, -plan.images_per_second);
  });
  return plans;
}

}  // namespace lockstep
