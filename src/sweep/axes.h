// axes.h: a base configuration and axes make the runs of a sweep.
//
// An axis is a list of points, and a point sets one option or a few: --models sets the network and
// its batch size at once. Runs are all combinations; those that come to the same work are one.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

struct Setting {
  std::string option;  // a name of config/run_options.h
  std::string value;
};
struct Axis {
  std::string name;  // as the user calls it
  std::vector<std::vector<Setting>> points;
};

struct SweepRun {
  std::string id;  // of config/run_id.h
  RunConfig config;
};

// The axis of one option.
Axis option_axis(const std::string& option, const std::vector<std::string>& values);
// "alexnet:256", "resnet50": names with batch sizes, which may be left out. Throws UsageError.
Axis models_axis(const std::vector<std::string>& entries);
// 1, 2, 4, ... and the most, whether it is a power of two or not.
std::vector<std::string> doubling(int most);

// Makes a configuration definite (names spelled one way, defaults filled in) or throws UsageError.
using Resolve = std::function<RunConfig(const RunConfig&)>;

// The runs, without doubles. Throws UsageError with the problems of all of them.
std::vector<SweepRun> expand(const RunConfig& base, std::span<const Axis> axes,
                             const Resolve& resolve);

}  // namespace lockstep
