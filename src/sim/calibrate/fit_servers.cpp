#include "sim/calibrate/fit_servers.h"

#include <algorithm>
#include <cmath>

#include "sim/answers/what_if.h"
#include "sim/calibrate/seconds_in.h"
#include "sim/step/predict.h"

namespace lockstep {
namespace {

constexpr double kLeastGbyte = 1e-4, kMostGbyte = 100;
constexpr double kLeastRequest = 0.1, kMostRequest = 1e6;  // microseconds

// A run with servers, as the model sees it.
class ServedRun {
 public:
  ServedRun(const RunResult& one, const RunResult& served)
      : workload_(workload_of(one.config)),
        waited_(seconds_in(served, {Phase::Communication})),
        scenario_{.batch = served.facts.batch_size, .devices = served.facts.devices} {
    set_strategy("parameter_server", scenario_);
    scenario_.servers = std::max(1, served.facts.servers);
    scenario_.one_device_step = one.facts.batch_size / one.throughput.total_images_per_second;
  }

  bool waits_less_than(const Cluster& cluster) const { return predicted(cluster) > waited_; }
  double residual(const Cluster& cluster) const {
    return waited_ > 0 ? predicted(cluster) / waited_ - 1 : 0;
  }
  // Seconds in which values, or gradients, are moving.
  double moving(const Cluster& cluster) const {
    return predict(cluster, workload_, scenario_).bandwidth_time / 2;
  }
  double variables_per_byte() const {
    return static_cast<double>(workload_.gradients.size()) / workload_.bytes;
  }

 private:
  // A worker that waits for a server waits for late workers as well.
  double predicted(const Cluster& cluster) const {
    const Prediction prediction = predict(cluster, workload_, scenario_);
    return prediction.exposed + prediction.late;
  }

  const Workload& workload_;  // of the table of workloads
  double waited_;             // seconds of a step
  Scenario scenario_;
};

// Between `low` and `high`, where `too_high` begins to hold.
template <typename TooHigh>
double found_between(double low, double high, const TooHigh& too_high) {
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (too_high(middle) ? high : low) = middle;
  }
  return std::sqrt(low * high);
}

class Fit {
 public:
  Fit(const Cluster& measured, const CalibrationRuns& runs)
      : runs_(runs), one_node_(runs.all.facts.nodes == 1), cluster_(measured) {
    const RunFacts& facts = runs.all.facts;
    servers().workers_per_node = (facts.devices + facts.nodes - 1) / facts.nodes;
    servers().hidden_pull = servers().barrier_us = 0;
  }

  // Each run shows a little of what the other fixes.
  ServerFit run() {
    const ServedRun large(runs_.one, *runs_.servers);
    std::optional<ServedRun> many;
    if (runs_.many_one && runs_.many_servers) many.emplace(*runs_.many_one, *runs_.many_servers);
    constexpr double kUnlike = 4;
    const bool told_apart =
        many && many->variables_per_byte() > kUnlike * large.variables_per_byte();
    constexpr int kRounds = 10;
    for (int i = 0; i < kRounds; ++i) {
      fit_rate(large);
      fit_interference(large);
      if (told_apart) fit_request(*many);
    }
    ServerFit fit{.interference = servers().interference, .residual = large.residual(cluster_)};
    if (rate() < fastest()) fit.gbyte = rate();
    if (!told_apart) return fit;
    fit.request_us = servers().request_us;
    fit.request_residual = many->residual(cluster_);
    return fit;
  }

 private:
  ParameterServers& servers() { return cluster_.servers; }
  double& rate() { return one_node_ ? servers().loopback_gbyte : servers().gbyte; }

  // From here on, a run waits for the network only, or for nothing.
  double fastest() const {
    return one_node_ ? kMostGbyte / 2 : 0.9 * cluster_.transports.at(runs_.transport).gbyte;
  }

  void fit_rate(const ServedRun& large) {
    rate() = found_between(kLeastGbyte, kMostGbyte, [&](double gbyte) {
      rate() = gbyte;
      return !large.waits_less_than(cluster_);
    });
  }
  void fit_interference(const ServedRun& large) {
    const double beside =
        std::min(large.moving(cluster_), seconds_in(runs_.independent, {Phase::Backward}));
    const double slower = computing(*runs_.servers) - computing(runs_.independent);
    servers().interference = beside > 0 ? std::clamp(slower / beside, 0.0, 3.0) : 0;
  }
  void fit_request(const ServedRun& many) {
    const double request = found_between(kLeastRequest, kMostRequest, [&](double time) {
      servers().request_us = time;
      return many.waits_less_than(cluster_);
    });
    servers().request_us = request < 2 * kLeastRequest ? 0 : request;
  }

  const CalibrationRuns& runs_;
  bool one_node_;
  Cluster cluster_;
};

}  // namespace

ServerFit fit_servers(const Cluster& measured, const CalibrationRuns& runs) {
  return Fit(measured, runs).run();
}

}  // namespace lockstep
