// conv_cache.h: caches the fastest method of each convolution between runs.
//
// One text file for each kind of processor, set of libraries and number of threads. A file that is
// damaged, or that another program wrote, is left out with a note, and replaced: all it held can be
// measured again.
#pragma once

#include <iosfwd>
#include <string>

#include "measure/host.h"
#include "run/run_plan.h"

namespace lockstep {

// What decides which method is fastest, besides the work itself.
struct ConvConditions {
  std::string processor, libraries;
  int threads = 0;
};

class ConvCache {
 public:
  // An empty directory: nothing is remembered. `notes` is borrowed.
  ConvCache(const std::string& directory, const ConvConditions& conditions, std::ostream& notes);

  ConvChoices read() const;
  // Adds what is not there yet and returns all that is there then: of runs that measure the same at
  // the same time the first counts, or the next run would differ from one of them.
  ConvChoices add(const ConvChoices& choices) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;      // empty: none
  std::string identity_;  // the first lines of the file
  std::ostream& notes_;
};

ConvConditions conv_conditions(const RunPlan& plan, const HostInfo& host);

// How the plan's engine is to compute its convolutions: remembered or measured, with --conv-algo
// auto; else empty. All ranks of a run must be given the same. `given`: what is settled already.
ConvChoices choose_convolutions(const RunPlan& plan, const ConvCache& cache, std::ostream& notes,
                                const ConvChoices& given = {});

}  // namespace lockstep
