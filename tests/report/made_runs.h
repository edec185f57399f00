// made_runs.h: stored runs that were never run, for tests of what is made of them.
#pragma once

#include <string>
#include <vector>

#include "config/run_id.h"
#include "report/results/results_store.h"

namespace lockstep {

struct Made {
  std::string model = "alexnet";
  int devices = 1;
  std::vector<double> rates = {100};
  std::string update = "replicated";
};

inline void add(std::vector<StoredRun>& runs, const Made& wish) {
  for (int repeat = 0; const double rate : wish.rates) {
    StoredRun run;
    RunResult& result = run.result;
    result.config.model = result.facts.model = wish.model;
    result.config.batch_size = result.facts.batch_size = 8;
    result.config.num_devices = result.facts.devices = wish.devices;
    result.config.variable_update = wish.update;
    result.facts.threads = 1;
    result.host.usable_threads = 64;
    result.throughput.total_images_per_second = rate;
    result.summary.mean_step = 1;
    result.summary.mean_phases = {0, 0.3, 0.4, 0.2, 0.1};
    result.started_at = std::to_string(repeat);
    run.repeat = repeat++;
    run.id = run_id(result.config);
    runs.push_back(run);
  }
}

inline std::vector<StoredRun> two_curves() {
  std::vector<StoredRun> runs;
  add(runs, {.devices = 2, .rates = {190, 191, 189}});
  add(runs, {.devices = 1, .rates = {100, 101, 99}});
  add(runs, {.devices = 4, .rates = {320, 322, 318}});
  add(runs, {.devices = 2, .rates = {150, 151, 149}, .update = "parameter_server"});
  add(runs, {.devices = 1, .rates = {98, 99, 97}, .update = "parameter_server"});
  return runs;
}

}  // namespace lockstep
