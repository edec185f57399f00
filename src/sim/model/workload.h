// workload.h: what a step computes and sends: the gradients of a network and when backward
// finishes each.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "report/results/run_result.h"
#include "sync/buckets.h"
#include "sync/strategy.h"

namespace lockstep {

struct Gradient {
  std::string name;
  double bytes = 0;
  double done = 0;  // part of backward after which it is ready
};

struct Workload {
  std::string model;         // as the zoo spells it, or of a network file
  std::string network = {};  // text of that file; empty: none
  std::string dataset = {};
  int image_size = 0;
  int64_t parameters = 0, forward_macs = 0;
  double forward_share = 1.0 / 3;        // of forward and backward
  std::vector<Gradient> gradients = {};  // in the order backward finishes them
  double bytes = 0;                      // of all gradients
  std::vector<size_t> creation = {};  // position in `gradients` of each variable, in creation order

  // The trainer's own memory layout, for its buckets and placement; holds no data.
  std::shared_ptr<ParameterArena> arena = {};  // shared by the copies of a workload
};

// Layers cost their multiply-adds and 80 for each element of their output, which covers what is
// bound by memory. Throws UsageError for an unknown model. Built once per model.
const Workload& workload_of(const RunConfig& run);
const Workload& workload_of(const std::string& model);  // a name, or a network file

// The same with the times that a profiled run measured for its layers, where it has them.
// Throws UsageError if the result is of another model.
Workload workload_of(const RunConfig& run, const RunResult& profile);

}  // namespace lockstep
