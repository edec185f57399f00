// sweep_options.h: the options of a sweep, before it is planned.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sweep/axes.h"

namespace lockstep {

struct SweepOptions {
  std::map<std::string, std::vector<std::string>> lists;  // by name: models, and options of a run
  std::string file;                                       // sweep.toml
  std::vector<std::string> notes = {};                    // on options that are ignored
  std::string output;
  std::string batch_preset = {};  // of batch_presets.h; empty: none
  int max_devices = 0;            // 0: as many as there are cores
  std::optional<int> repeats = {};
  std::optional<double> precision = {};
  int order_seed = 1;
  std::optional<double> run_timeout = {};  // seconds; absent: by the estimate of each run
  std::string pivot = {};                  // axes of a table at the end; empty: none
  bool dry_run = false, best = false, retry_failed = false;
  bool explain = false;           // also run the workers of each run without communication
  bool wide = false;              // tables of any width
  bool json = false;              // instead of tables
  std::vector<int> predict = {};  // numbers of devices to predict besides
};

inline bool is_given(const SweepOptions& options, const char* name) {
  return options.lists.contains(name);
}

// Networks are given, or filled in by default_axes.h. `cores`: of this machine, for default values.
std::vector<Axis> axes_of(const SweepOptions& options, int cores);

}  // namespace lockstep
