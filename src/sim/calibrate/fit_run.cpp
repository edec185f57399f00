#include "sim/calibrate/fit_run.h"

#include <algorithm>
#include <cmath>

#include "sim/model/expected_largest.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

double step_at(const Cluster& cluster, const Workload& workload, Scenario scenario, double scale) {
  scenario.wire_scale *= scale;
  return predict(cluster, workload, scenario).step;
}

// Halving the network's rate would show: the step waits for it, or nearly does.
bool network_matters(const Cluster& cluster, const Workload& workload, const Scenario& scenario) {
  constexpr double kVisible = 0.05;
  const double now = step_at(cluster, workload, scenario, 1);
  return step_at(cluster, workload, scenario, 0.5) > (1 + kVisible) * now;
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
  if (network_matters(cluster, workload, scenario)) {
    double low = 1.0 / 64, high = 64;  // a slow network is a long step
    for (int i = 0; i < 60; ++i) {
      const double middle = std::sqrt(low * high);
      (step_at(cluster, workload, scenario, middle) > measured ? low : high) = middle;
    }
    const double scale = std::sqrt(low * high);
    if (scale > 1.0 / 60 && scale < 60) return {.what = RunFit::What::Network, .wire_scale = scale};
  }
  const bool one_node = now.nodes == 1;
  const double largest = expected_largest(one_node ? scenario.devices : now.nodes);
  if (largest <= 0) return {};
  const double assumed = one_node ? cluster.jitter.rank : cluster.jitter.node;
  const double rest = measured - (now.step - scenario.one_device_step * assumed * largest);
  const double seen = std::max(0.0, rest / scenario.one_device_step / largest);
  const double weight = weight_of(largest);
  return {.what = RunFit::What::Jitter,
          .wire_scale = 1,
          .jitter = weight * seen + (1 - weight) * assumed,
          .of_ranks = one_node};
}

void apply(const RunFit& fit, Cluster& cluster, Scenario& scenario) {
  if (fit.what == RunFit::What::Network) scenario.wire_scale *= fit.wire_scale;
  if (fit.what == RunFit::What::Jitter) {
    (fit.of_ranks ? cluster.jitter.rank : cluster.jitter.node) = fit.jitter;
  }
}

}  // namespace lockstep
