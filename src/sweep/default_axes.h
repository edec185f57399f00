// default_axes.h: fills in what a sweep measures where the user does not say.
//
// A sweep without networks compares how Inception v3 and AlexNet scale, with parameter servers and
// with all-reduce, over all hosts or devices that it can see. An axis that the user gives replaces
// the default one. With networks given, all other options keep the defaults of a run.
#pragma once

#include <string>
#include <vector>

#include "report/results/results_store.h"
#include "run/run_context.h"
#include "sweep/sweep_options.h"

namespace lockstep {

// What this machine offers.
struct SweepMachine {
  int cores = 1;
  std::optional<int64_t> available_bytes = {};  // absent: unknown
  std::string gpu = {};                         // of --device: "cuda"; empty: it has none
};

// `gpu` in the list of devices becomes the GPU of this host, or the CPU where there is none, with a
// note. On other hosts it stays: their ranks know.
void name_gpu(SweepOptions& options, const SweepMachine& machine, std::vector<std::string>& notes);

// Completes `options`; returns notes for the user. `earlier`: results of the directory, whose batch
// sizes are kept, so that a sweep resumes when less memory is available. Throws UsageError.
std::vector<std::string> fill_in_axes(SweepOptions& options, const RunContext& context,
                                      const SweepMachine& machine, const StoreContents& earlier);

}  // namespace lockstep
