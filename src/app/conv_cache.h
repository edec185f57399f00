// conv_cache.h: remembers between runs which method computes a convolution fastest here.
//
// One text file for each processor model and set of libraries. A file that is damaged, or that
// another program wrote, is left out with a note, and replaced: all it held can be measured again.
#pragma once

#include <iosfwd>
#include <string>

#include "app/plan.h"
#include "measure/host.h"

namespace lockstep {

class ConvCache {
 public:
  // An empty directory: nothing is remembered. `notes` is borrowed.
  ConvCache(const std::string& directory, const std::string& processor,
            const std::string& libraries, std::ostream& notes);

  ConvChoices read() const;
  void add(const ConvChoices& choices) const;  // to what is there
  const std::string& path() const { return path_; }

 private:
  std::string path_;      // empty: none
  std::string identity_;  // the first lines of the file
  std::ostream& notes_;
};

// How the plan's engine is to compute its convolutions: remembered or measured, with --conv-algo
// auto; else empty. All ranks of a run must be given the same.
ConvChoices choose_convolutions(const RunPlan& plan, const ConvCache& cache, std::ostream& notes);

}  // namespace lockstep
