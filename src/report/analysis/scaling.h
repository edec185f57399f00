// scaling.h: stored runs as configurations with their launches, and as curves over the number of
// devices. All reports (tables, CSV, pictures) are drawn from these values.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/launches.h"
#include "report/analysis/step_times.h"
#include "report/results/results_store.h"

namespace lockstep {

// All launches of one run.
struct Configuration {
  std::string id;
  RunConfig config;
  bool simulated = false;
  int devices = 1;
  std::vector<size_t> launches;           // that measured something: places in the stored runs
  std::vector<double> seconds_per_image;  // of each of them
  int failed = 0;
  std::string error;                    // of the last that failed
  std::vector<std::string> last_lines;  // that it printed

  // Of at least one launch; means over the launches.
  std::optional<LaunchSummary> speed;
  std::optional<StepTimes> step_times;
  double mean_step = 0;  // seconds
  std::array<double, kPhaseNames.size()> mean_phases{};
  std::optional<Ratio> data_cost = {};     // part of images/sec that real images take from it
  std::vector<std::string> warnings = {};  // why its numbers should not be trusted, and what to do

  bool phases_known() const;                       // somebody else's program does not tell
  std::optional<double> exposed_fraction() const;  // of the step; absent: as the phases
};

struct ScalingPoint {
  size_t configuration;  // its place in the report
  int devices;
  Ratio speed_up;    // against the base of its series
  Ratio efficiency;  // speed-up / (devices / devices of the base)
};

// The same run on different numbers of devices; the fewest are the base.
struct Series {
  std::string label;  // "alexnet:256 on native", and what else sets it apart
  std::string model, engine;
  int batch = 0;  // per device
  bool simulated = false;
  std::vector<ScalingPoint> points;
};

struct ScalingReport {
  std::vector<Configuration> configurations;  // by model, batch, engine, settings, devices
  std::vector<std::string_view> differing;    // options in which they differ
  std::vector<Series> series;
  std::vector<std::string> notes;
  std::vector<std::string> base_notes;  // what speed-up and efficiency are against
};

ScalingReport make_scaling(std::span<const StoredRun> runs);

std::string engine_of(const Configuration& each);  // "native", "native, simulated"
// "alexnet:256 x2 native threads=2, simulated": what it is, among the report's others.
std::string label_of(const ScalingReport& report, const Configuration& each);

}  // namespace lockstep
