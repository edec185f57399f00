// axes.h: expands a base configuration and axes into the runs of a sweep.
//
// An axis is a list of points. A point sets one or more options: --models sets network and batch
// size. Runs are all combinations; combinations that resolve to the same work are one run.
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
  std::string name;  // for messages
  std::vector<std::vector<Setting>> points;
};

struct SweepRun {
  std::string id;  // of config/run_id.h
  RunConfig config;
  bool control = false;  // of --explain: stored, but in no table
};

// The axis of one option.
Axis option_axis(const std::string& option, const std::vector<std::string>& values);
// "alexnet:256", "resnet50": names with optional batch sizes. Throws UsageError.
Axis models_axis(const std::vector<std::string>& entries);
// "lockstep", "lockstep:torch" (an engine of ours), "lockstep:torch:NHWC" (in this layout),
// "pytorch", "pytorch:compile", "mine.py", or the name or file of an external program.
Axis frameworks_axis(const std::vector<std::string>& entries);
// 1, 2, 4, ... and `most` itself.
std::vector<std::string> doubling(int most);

// Resolves a configuration (canonical names, defaults filled in). Throws UsageError.
using Resolve = std::function<RunConfig(const RunConfig&)>;

// A combination that its framework or external program does not support.
struct SkippedRun {
  SweepRun run;
  std::string reason;
};
struct ExpandedRuns {
  std::vector<SweepRun> runs;  // at least one
  std::vector<SkippedRun> skipped;
};

// Without duplicates. Throws UsageError with the problems of all runs.
ExpandedRuns expand(const RunConfig& base, std::span<const Axis> axes, const Resolve& resolve);

}  // namespace lockstep
