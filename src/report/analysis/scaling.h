// scaling.h: stored runs as configurations with their launches, and as curves over the number of
// devices. All reports (tables, CSV, charts) use these values.
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
  int devices = 1;                        // of all hosts together
  int nodes = 1;                          // hosts of the workers
  int threads = 0;                        // per device; 0: unknown
  std::vector<size_t> launches;           // successful ones: indices in the stored runs
  std::vector<double> seconds_per_image;  // of each launch
  int failed = 0;
  bool skipped = false;                 // not supported: never launched
  std::string error;                    // of the last failed launch, or why it was skipped
  std::vector<std::string> last_lines;  // of its output

  // Means over launches; set if there is at least one.
  std::optional<LaunchSummary> speed;
  std::optional<StepTimes> step_times;
  double mean_step = 0;  // seconds
  std::array<double, kPhaseNames.size()> mean_phases{};
  // With --efficiency: images/sec relative to the same devices without communication.
  std::optional<Ratio> communication_efficiency = {};
  std::optional<Ratio> data_cost = {};     // fraction of images/sec that real data costs
  std::vector<std::string> warnings = {};  // reasons to distrust its numbers, with advice

  bool phases_known() const;                       // false for external programs
  std::optional<double> exposed_fraction() const;  // of the step; absent: it is unknown
  std::vector<double> phases_and_rest() const;     // seconds; those not known are in the rest
};

struct ScalingPoint {
  size_t configuration;  // index in the report
  int devices;
  // Relative to the base of its series; absent if the series has one number of devices.
  std::optional<Ratio> speed_up = {};
  std::optional<Ratio> scaling_efficiency = {};  // speed-up / (devices / devices of the base)
};

// The same run on different numbers of devices. The smallest number is the base.
struct Series {
  std::string label;  // "alexnet:256 on native" and the settings that differ
  std::string model, engine;
  int batch = 0;  // per device
  bool simulated = false;
  std::vector<ScalingPoint> points;

  bool scales() const { return points.front().devices != points.back().devices; }
};

struct ScalingReport {
  std::vector<Configuration> configurations;  // by model, batch, engine, settings, devices
  std::vector<Configuration> controls = {};   // of `sweep --explain`: in no table
  std::vector<std::string_view> differing;    // options in which they differ
  std::vector<Series> series;
  std::vector<std::string> notes;
  std::vector<std::string> base_notes;  // the base of speed-up and scaling efficiency

  bool scales() const;  // any series does
};

ScalingReport make_scaling(std::span<const StoredRun> runs);

std::string engine_of(const Configuration& each);  // "native", "native, simulated"
// "alexnet:256 x2 native threads=2, simulated": unique in the report.
std::string label_of(const ScalingReport& report, const Configuration& each);

}  // namespace lockstep
