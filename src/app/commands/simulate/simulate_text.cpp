#include "app/commands/simulate/simulate_text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "config/json.h"
#include "report/render/text_table.h"
#include "sim/answers/cluster_entries.h"
#include "sim/answers/explain.h"
#include "sim/answers/what_if.h"
#include "sim/cluster/ready_clusters.h"

namespace lockstep {
namespace {

using Align = TextTable::Align;

std::string percent(double part) { return fmt::format("{:.1f}", 100 * part); }

double one_device_rate(const Scenario& scenario) {
  return scenario.batch / scenario.one_device_step;
}

double efficiency_of(const SimulatedPoint& point) {
  return point.prediction.images_per_second / point.scenario.devices /
         one_device_rate(point.scenario);
}

std::optional<Band> band_in(const SimulatedRuns& runs, const SimulatedPoint& point) {
  return band_of(runs.cluster, point.scenario, point.prediction);
}

std::string band_table(const SimulatedRuns& runs) {
  TextTable table({{"devices"}, {"images/sec, 5 %"}, {"95 %"}});
  bool known = false;
  for (const SimulatedPoint& point : runs.points) {
    const auto band = band_in(runs, point);
    if (!band) continue;
    known = true;
    table.add({fmt::to_string(point.scenario.devices), fmt::format("{:.1f}", band->low),
               fmt::format("{:.1f}", band->high)});
  }
  return known
             ? "\nsteps between the 5 % and 95 % quantiles of the measured jitter:\n" + table.text()
             : "";
}

constexpr std::pair<const char*, double LinkUse::*> kLinks[] = {{"between nodes", &LinkUse::node},
                                                                {"out of racks", &LinkUse::uplink},
                                                                {"inside nodes", &LinkUse::inside}};

// False where the change is of something that the run does not use, as servers under all-reduce.
bool has_effect(const Prediction& after, const Prediction& before) {
  return after.step != before.step || after.images_per_second != before.images_per_second;
}

// "busiest links of 512 devices, part of their rate: between nodes 50 %, inside nodes 18 %"
std::string link_line(const SimulatedPoint& point) {
  std::vector<std::string> parts;
  for (const auto& [name, member] : kLinks) {
    const double use = point.prediction.links.*member;
    if (use > 0) parts.push_back(fmt::format("{} {:.0f} %", name, 100 * use));
  }
  if (parts.empty()) return "";
  return fmt::format("busiest links of {} devices, part of their rate: {}\n",
                     point.scenario.devices, fmt::join(parts, ", "));
}

}  // namespace

const SimulatedPoint& SimulatedRuns::largest() const {
  return *std::ranges::max_element(
      points, {}, [](const SimulatedPoint& point) { return point.scenario.devices; });
}

std::string scaling_of(const SimulatedRuns& runs) {
  TextTable table({{"devices"},
                   {"nodes"},
                   {"images/sec"},
                   {"speed-up"},
                   {"efficiency %"},
                   {"step ms"},
                   {"exposed %"},
                   {"late %"},
                   {"network %"}});
  for (const SimulatedPoint& point : runs.points) {
    const Prediction& each = point.prediction;
    table.add({fmt::to_string(point.scenario.devices), fmt::to_string(each.nodes),
               fmt::format("{:.1f}", each.images_per_second),
               fmt::format("{:.2f}", each.images_per_second / one_device_rate(point.scenario)),
               percent(efficiency_of(point)), fmt::format("{:.2f}", 1000 * each.step),
               percent(each.exposed / each.step), percent(each.late / each.step),
               percent(each.network_busy)});
  }
  const Scenario& first = runs.points.front().scenario;
  return fmt::format(
      "{}:{} with {} on {}, simulated: {:.5g} images/sec on one device\n\n{}"
      "of a step: exposed communication, waiting for late ranks, network busy\n{}{}",
      runs.workload.model, first.batch, first.strategy, runs.cluster.name, one_device_rate(first),
      table.text(), link_line(runs.largest()), band_table(runs));
}

std::string why_lines(const SimulatedRuns& runs) {
  struct Line {
    int first, last;  // devices
    std::string why;
  };
  std::vector<Line> lines;
  for (const SimulatedPoint& point : runs.points) {
    const int devices = point.scenario.devices;
    const std::string why =
        explain(runs.cluster, runs.workload, point.scenario, point.prediction).sentence();
    if (lines.empty() || lines.back().why != why) lines.push_back({devices, devices, why});
    lines.back().last = devices;
  }
  std::string text = "\n";
  for (const auto& [first, last, why] : lines) {
    const std::string from = first == last ? "" : fmt::format("{} to ", first);
    text += fmt::format("{}{} device{}: {}\n", from, last, last == 1 ? "" : "s", why);
  }
  return text;
}

std::string what_if_table(const SimulatedRuns& runs, const std::vector<std::string>& changes) {
  TextTable table({{"what if", Align::Left},
                   {"devices"},
                   {"images/sec"},
                   {"gain %"},
                   {"step ms"},
                   {"efficiency %"}});
  const SimulatedPoint& largest = runs.largest();
  const auto row = [&](const std::string& what, const SimulatedPoint& point) {
    table.add({what, fmt::to_string(point.scenario.devices),
               fmt::format("{:.1f}", point.prediction.images_per_second),
               fmt::format("{:+.1f}", 100 * (point.prediction.images_per_second /
                                                 largest.prediction.images_per_second -
                                             1)),
               fmt::format("{:.2f}", 1000 * point.prediction.step), percent(efficiency_of(point))});
  };
  row("as it is", largest);
  std::string notes;
  for (const std::string& change : changes) {
    const Change other = changed(change, runs.cluster, largest.scenario);
    const SimulatedPoint point = {
        .scenario = other.scenario,
        .prediction = predict(other.cluster, runs.workload, other.scenario, runs.fidelity)};
    row(change, point);
    if (!has_effect(point.prediction, largest.prediction)) {
      notes += fmt::format("note: {} has no effect on this run\n", change);
    }
  }
  return table.text() + notes;
}

std::string target_table(const SimulatedRuns& runs) {
  const bool priced = runs.cluster.price_per_node_hour > 0;
  std::vector<TextTable::Column> columns = {
      {"strategy", Align::Left}, {"nodes"}, {"devices"}, {"images/sec"}};
  if (priced) columns.push_back({"cost of a million images"});
  TextTable table(std::move(columns));
  for (const Plan& plan : runs.plans) {
    const bool reached = plan.nodes > 0;
    std::vector<std::string> row = {
        plan.strategy, reached ? fmt::to_string(plan.nodes) : "not reached",
        reached ? fmt::to_string(plan.devices) : "-",
        fmt::format("{}{:.1f}", reached ? "" : "at most ", plan.images_per_second)};
    if (priced) row.push_back(fmt::format("{:.2f}", plan.cost_per_million));
    table.add(std::move(row));
  }
  std::string text =
      fmt::format("fewest nodes for {:.6g} images/sec:\n{}", *runs.target, table.text());
  if (priced && runs.plans.front().nodes > 0) {
    const auto cheapest = std::ranges::min_element(runs.plans, {}, [](const Plan& plan) {
      return plan.nodes > 0 ? plan.cost_per_million : 1e300;
    });
    text += fmt::format("cheapest: {} on {} nodes, {:.2f} for a million images\n",
                        cheapest->strategy, cheapest->nodes, cheapest->cost_per_million);
  }
  return text;
}

Json simulated_json(const SimulatedRuns& runs, const std::vector<std::string>& changes) {
  Json points = Json::array(), what_if = Json::array(), plans = Json::array();
  for (const SimulatedPoint& point : runs.points) {
    const Prediction& each = point.prediction;
    const Explanation why = explain(runs.cluster, runs.workload, point.scenario, each);
    Json json = {{"devices", point.scenario.devices},
                 {"nodes", each.nodes},
                 {"images_per_second", each.images_per_second},
                 {"efficiency", efficiency_of(point)},
                 {"step_seconds", each.step},
                 {"forward_seconds", each.forward},
                 {"backward_seconds", each.backward},
                 {"exposed_communication_seconds", each.exposed},
                 {"late_ranks_seconds", each.late},
                 {"input_seconds", each.input},
                 {"network_busy", each.network_busy},
                 {"link_use",
                  {{"node", each.links.node},
                   {"rack_uplink", each.links.uplink},
                   {"inside_node", each.links.inside}}},
                 {"limited_by", name_of(why.limit)},
                 {"why", why.sentence()}};
    if (const auto band = band_in(runs, point)) {
      json["images_per_second_5_95"] = {band->low, band->high};
    }
    points.push_back(std::move(json));
  }
  const SimulatedPoint& largest = runs.largest();
  for (const std::string& change : changes) {
    const Change other = changed(change, runs.cluster, largest.scenario);
    const Prediction each = predict(other.cluster, runs.workload, other.scenario, runs.fidelity);
    what_if.push_back({{"change", change},
                       {"devices", other.scenario.devices},
                       {"images_per_second", each.images_per_second},
                       {"gain", each.images_per_second / largest.prediction.images_per_second - 1},
                       {"has_effect", has_effect(each, largest.prediction)}});
  }
  for (const Plan& plan : runs.plans) {
    plans.push_back({{"strategy", plan.strategy},
                     {"nodes", plan.nodes},
                     {"devices", plan.devices},
                     {"images_per_second", plan.images_per_second},
                     {"cost_per_million_images", plan.cost_per_million}});
  }
  const Scenario& first = runs.points.front().scenario;
  return {{"cluster", runs.cluster.name},
          {"model", runs.workload.model},
          {"batch_size", first.batch},
          {"variable_update", first.strategy},
          {"fidelity", runs.fidelity == FidelityKind::Message ? "message" : "schedule"},
          {"one_device_images_per_second", one_device_rate(first)},
          {"warning", runs.warning},
          {"points", points},
          {"what_if", what_if},
          {"plans", plans}};
}

std::vector<ListedCluster> listed_clusters(const std::string& directory) {
  std::vector<std::string> names = ready_cluster_names();
  if (!directory.empty()) {
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      if (entry.path().extension() == ".toml") names.push_back(entry.path().string());
    }
    std::ranges::sort(names);
  }
  if (std::filesystem::exists(kCalibratedFile)) names.emplace_back(kThisMachine);
  std::vector<ListedCluster> clusters;
  for (const std::string& name : names) {
    try {
      const Cluster cluster = load_cluster(name);
      clusters.push_back({.name = name,
                          .description = cluster.description,
                          .nodes = cluster.nodes,
                          .devices = cluster.devices()});
    } catch (const UsageError& error) {  // one bad file must not hide the others
      const std::string problem = error.what();
      clusters.push_back({.name = name, .problem = problem.substr(0, problem.find('\n'))});
    }
  }
  return clusters;
}

std::string cluster_list(const std::vector<ListedCluster>& clusters) {
  TextTable table({{"cluster", Align::Left}, {"nodes"}, {"devices"}, {"", Align::Left}});
  for (const ListedCluster& each : clusters) {
    if (each.problem.empty()) {
      table.add(
          {each.name, fmt::to_string(each.nodes), fmt::to_string(each.devices), each.description});
    } else {
      table.add({each.name, "-", "-", "cannot be used: " + each.problem});
    }
  }
  return table.text();
}

Json cluster_list_json(const std::vector<ListedCluster>& clusters) {
  Json json = Json::array();
  for (const ListedCluster& each : clusters) {
    const bool usable = each.problem.empty();
    json.push_back({{"cluster", each.name},
                    {"nodes", usable ? Json(each.nodes) : Json()},
                    {"devices", usable ? Json(each.devices) : Json()},
                    {"description", each.description},
                    {"problem", usable ? Json() : Json(each.problem)}});
  }
  return json;
}

std::string cluster_entries(const Cluster& cluster) {
  TextTable table({{"entry", Align::Left},
                   {"value", Align::Left},
                   {"origin", Align::Left},
                   {"source", Align::Left}});
  for (const ClusterEntry& each : entries_of(cluster)) {
    table.add({each.key, each.value, each.origin, each.source});
  }
  return cluster.description + "\n\n" + table.text();
}

Json cluster_entries_json(const Cluster& cluster) {
  Json json = Json::array();
  for (const ClusterEntry& each : entries_of(cluster)) {
    json.push_back({{"entry", each.key},
                    {"value", each.value},
                    {"origin", each.origin},
                    {"source", each.source}});
  }
  return json;
}

}  // namespace lockstep
