#include "sim/calibrate/check_sweep.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "config/json.h"
#include "measure/statistics.h"
#include "report/render/text_table.h"
#include "sim/answers/simulated_result.h"
#include "sim/calibrate/sweep_curves.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

constexpr const char* kDifferentThreads =
    "its devices have different numbers of threads; sweep with --threads";

// Devices that compute with different numbers of threads are different devices.
bool comparable(const Curve& curve) {
  return std::ranges::all_of(curve.points, [&](const CurvePoint& point) {
    return point.threads == curve.points.front().threads;
  });
}

void check_curve(const Curve& curve, const std::optional<Cluster>& cluster, SweepCheck& check) {
  const Workload& workload = workload_of(curve.config());
  for (size_t i = 1; i < curve.points.size(); ++i) {
    const CurvePoint& point = curve.points[i];
    const FittedCurve fitted = fit_curve(curve, i, cluster);
    const Prediction predicted =
        predict(fitted.cluster, workload, scenario_at(fitted, point.devices));
    const CurvePoint& smallest = curve.points[i > 1 ? 1 : 0];
    check.runs.push_back(
        {.curve = curve.label,
         .devices = point.devices,
         .measured = point.images_per_second,
         .predicted = predicted.images_per_second,
         .persistence = smallest.images_per_second / smallest.devices * point.devices,
         .known = fitted.known});
    if (point.devices > kFarthest * curve.points[i - 1].devices) {
      check.notes.push_back(
          fmt::format("{} on {} devices: more than {} times the largest run "
                      "before it",
                      curve.label, point.devices, kFarthest));
    }
  }
}

RunConfig config_at(const Curve& curve, const Prediction& prediction, int devices) {
  RunConfig config = curve.points.back().config;
  if (config.nodes && *config.nodes > 1) {
    config.nodes = prediction.nodes;
  } else {
    config.num_devices = devices;
  }
  return config;
}

std::string warning_on(const Curve& curve, const FittedCurve& fitted, const Prediction& prediction,
                       int devices, bool cluster_given) {
  const CurvePoint& largest = curve.points.back();
  std::vector<std::string> texts;
  if (devices > kFarthest * largest.devices) {
    texts.push_back(fmt::format("{} devices are more than {} times the {} measured", devices,
                                kFarthest, largest.devices));
  }
  if (largest.nodes == 1 && prediction.nodes > 1 && !cluster_given) {
    texts.push_back(
        fmt::format("more than {} devices: assumes hosts with {} devices each and {} Gbit/s",
                    largest.devices, prediction.per_node, kAssumedGbit));
  }
  const bool inside_fitted = fitted.scenario.inside_scale != 1;
  const bool gpus = fitted.cluster.device_kind == "gpu" && prediction.per_node > 1;
  if (gpus && !inside_fitted && !cluster_given) {
    texts.push_back(
        fmt::format("assumes that GPUs of a host are linked by {}", fitted.cluster.node.links));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string error_text(double predicted, double measured) {
  return fmt::format("{:+.1f}", 100 * (predicted / measured - 1));
}

void predict_curve(const Curve& curve, const std::optional<Cluster>& cluster,
                   const std::vector<int>& wanted, PredictedRuns& predicted) {
  const FittedCurve fitted = fit_curve(curve, curve.points.size(), cluster);
  const Workload& workload = workload_of(curve.config());
  for (const int each : wanted) {
    const Scenario scenario = scenario_at(fitted, each);
    const Prediction prediction =
        predict(fitted.cluster, workload, scenario, FidelityKind::Schedule, Detail::Transfers);
    const std::string warning = warning_on(curve, fitted, prediction, each, cluster.has_value());
    if (!warning.empty()) predicted.notes.push_back(warning);
    predicted.results.push_back(simulated_result({.cluster = fitted.cluster,
                                                  .workload = workload,
                                                  .scenario = scenario,
                                                  .prediction = prediction,
                                                  .warning = warning},
                                                 config_at(curve, prediction, each)));
  }
}

}  // namespace

SweepCheck check_sweep(const std::string& directory, const std::optional<Cluster>& cluster) {
  SweepCheck check;
  for (const Curve& curve : curves_in(read_store(directory).runs)) {
    if (curve.points.size() < 2) continue;
    if (!comparable(curve)) {
      check.notes.push_back(fmt::format("{}: left out, {}", curve.label, kDifferentThreads));
      continue;
    }
    try {
      check_curve(curve, cluster, check);
    } catch (const UsageError& error) {
      check.notes.push_back(fmt::format("{}: left out, {}", curve.label, error.what()));
    }
  }
  if (check.runs.empty() && check.notes.empty()) {
    throw UsageError("--check {}: no runs that differ in their number of devices", directory);
  }
  return check;
}

std::string check_text(const SweepCheck& check) {
  TextTable table(
      {{"devices"}, {"images/sec"}, {"predicted"}, {"error %"}, {"as smallest run"}, {"error %"}});
  std::vector<std::string> headings;
  std::vector<double> ours, theirs;
  for (const CheckedRun& run : check.runs) {
    ours.push_back(std::abs(run.predicted / run.measured - 1));
    theirs.push_back(std::abs(run.persistence / run.measured - 1));
    headings.push_back(fmt::format("{}, from {}", run.curve, run.known));
    table.add({fmt::to_string(run.devices), fmt::format("{:.2f}", run.measured),
               fmt::format("{:.2f}", run.predicted), error_text(run.predicted, run.measured),
               fmt::format("{:.2f}", run.persistence), error_text(run.persistence, run.measured)});
  }
  std::string text = check.runs.empty() ? "" : with_headings(table, headings);
  if (!ours.empty()) {
    text +=
        fmt::format("mean error {:.1f} %; assuming the efficiency of the smallest run: {:.1f} %\n",
                    100 * mean(ours), 100 * mean(theirs));
  }
  for (const std::string& note : check.notes) text += "note: " + note + "\n";
  return text;
}

Json check_json(const SweepCheck& check) {
  Json runs = Json::array();
  for (const CheckedRun& run : check.runs) {
    runs.push_back({{"curve", run.curve},
                    {"predicted_from", run.known},
                    {"devices", run.devices},
                    {"images_per_second", run.measured},
                    {"predicted", run.predicted},
                    {"error", run.predicted / run.measured - 1},
                    {"predicted_as_smallest_run", run.persistence},
                    {"error_as_smallest_run", run.persistence / run.measured - 1}});
  }
  return {{"runs", runs}, {"notes", check.notes}};
}

PredictedRuns predict_beyond(const std::vector<StoredRun>& runs,
                             const std::optional<Cluster>& cluster,
                             const std::vector<int>& devices) {
  PredictedRuns predicted;
  for (const Curve& curve : curves_in(runs)) {
    std::vector<int> wanted = devices;
    std::erase_if(wanted, [&](int each) { return each <= curve.points.back().devices; });
    if (wanted.empty()) continue;
    if (!comparable(curve)) {
      predicted.notes.push_back(curve.label + ": not predicted, " + kDifferentThreads);
      continue;
    }
    wanted.insert(wanted.begin(), curve.points.front().devices);
    try {
      predict_curve(curve, cluster, wanted, predicted);
    } catch (const UsageError& error) {
      predicted.notes.push_back(fmt::format("{}: not predicted, {}", curve.label, error.what()));
    }
  }
  std::ranges::sort(predicted.notes);
  const auto repeated = std::ranges::unique(predicted.notes);
  predicted.notes.erase(repeated.begin(), repeated.end());
  return predicted;
}

}  // namespace lockstep
