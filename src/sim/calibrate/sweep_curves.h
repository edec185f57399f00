// sweep_curves.h: measured runs that differ only in their number of devices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/results/results_store.h"
#include "sim/calibrate/fit_run.h"

namespace lockstep {

struct CurvePoint {
  int devices = 1, nodes = 1, threads = 0;
  double images_per_second = 0;  // images of all launches over their time
  int launches = 0;
  RunConfig config = {};
};

struct Curve {
  std::string label;
  std::vector<CurvePoint> points;  // by devices

  const RunConfig& config() const { return points.front().config; }
};

// Between hosts of which nothing was measured.
inline constexpr int kAssumedGbit = 10;

std::vector<Curve> curves_in(const std::vector<StoredRun>& runs);

// A cluster, and a run on it, that fit the first `count` points of a curve. The scenario has as
// many servers as the runs asked for; scenario_at those that so few nodes can have.
struct FittedCurve {
  Cluster cluster;
  Scenario scenario = {};
  std::string known = {};  // in words
};
FittedCurve fit_curve(const Curve& curve, size_t count, const std::optional<Cluster>& cluster);

Scenario scenario_at(const FittedCurve& fitted, int devices);

}  // namespace lockstep
