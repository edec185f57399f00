#include "sim/calibrate/fit_run.h"

#include <algorithm>
#include <cmath>

#include "sim/model/expected_largest.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

// Of runs on one node, which reach no server elsewhere, the network is inside it.
bool stays_inside(const Cluster& cluster, const Scenario& scenario) {
  const Layout layout = layout_of(cluster, scenario);
  return layout.nodes == 1 && server_nodes(cluster, scenario, layout) == 0;
}

// The scale of the network's rate with which the prediction takes as long as the run. Absent where
// half the rate would hardly show, since the step does not wait for it, and where none fits.
std::optional<double> scale_of(const Cluster& cluster, const Workload& workload,
                               const Scenario& scenario, double measured) {
  double Scenario::*const rate =
      stays_inside(cluster, scenario) ? &Scenario::inside_scale : &Scenario::wire_scale;
  const auto step_at = [&](double scale) {
    Scenario scaled = scenario;
    scaled.*rate *= scale;
    return predict(cluster, workload, scaled).step;
  };
  constexpr double kVisible = 0.05;
  if (step_at(0.5) <= (1 + kVisible) * step_at(1)) return std::nullopt;
  double low = 1.0 / 64, high = 64;  // a slow network is a long step
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (step_at(middle) > measured ? low : high) = middle;
  }
  const double scale = std::sqrt(low * high);
  return scale > 1.0 / 60 && scale < 60 ? std::optional(scale) : std::nullopt;
}

// How much one run says about the deviation, beside what the cluster file assumes: the slowest of
// two is hardly later than either, the slowest of sixty always is. The file is taken to be right
// within 70 %; the largest of n normal values varies by about 0.7 deviations.
double weight_of(double expected_largest) {
  constexpr double kFile = 0.7, kLargestVaries = 0.7;
  const double run = expected_largest / kLargestVaries;
  return run * run / (run * run + 1 / (kFile * kFile));
}

}  // namespace

std::string RunFit::words() const {
  switch (what) {
    case What::Network:
      if (inside_scale != 1) {
        return fmt::format("links inside the node reach {:.3g} of their usual rate", inside_scale);
      }
      return fmt::format("the network reaches {:.3g} of the file's rate", wire_scale);
    case What::Jitter:
      if (of_ranks) return fmt::format("ranks differ by {:.2g} %", 100 * jitter);
      return fmt::format(
          "communication is hidden, so the network's rate is not identified; nodes "
          "differ by {:.2g} %",
          100 * jitter);
    case What::Nothing:
      break;
  }
  return "as predicted";
}

RunFit fit_run(const Cluster& cluster, const Workload& workload, const Scenario& scenario,
               double images_per_second) {
  const double measured =
      scenario.batch * static_cast<double>(scenario.devices) / images_per_second;
  const Prediction now = predict(cluster, workload, scenario);
  if (const auto scale = scale_of(cluster, workload, scenario, measured)) {
    const bool inside = stays_inside(cluster, scenario);
    return {.what = RunFit::What::Network,
            .wire_scale = inside ? 1 : *scale,
            .inside_scale = inside ? *scale : 1};
  }
  const bool one_node = now.nodes == 1;
  const double largest = expected_largest(one_node ? scenario.devices : now.nodes);
  if (largest <= 0) return {};
  const double assumed = one_node ? cluster.jitter.rank : cluster.jitter.node;
  const double rest = measured - (now.step - scenario.one_device_step * assumed * largest);
  const double seen = std::max(0.0, rest / scenario.one_device_step / largest);
  const double weight = weight_of(largest);
  return {.what = RunFit::What::Jitter,
          .jitter = weight * seen + (1 - weight) * assumed,
          .of_ranks = one_node};
}

void apply(const RunFit& fit, Cluster& cluster, Scenario& scenario) {
  scenario.wire_scale *= fit.wire_scale;
  scenario.inside_scale *= fit.inside_scale;
  if (fit.what == RunFit::What::Jitter) {
    (fit.of_ranks ? cluster.jitter.rank : cluster.jitter.node) = fit.jitter;
  }
}

}  // namespace lockstep
