// complete_config.h: fills in options that follow from other options of the same line.
#pragma once

#include <string>
#include <vector>

#include "config/run_config.h"

namespace lockstep {

// Which options the line sets, where the default would say the same.
struct GivenOptions {
  bool model = false;
};

// Options without effect in this run get their default back, so that runs that do the same are
// equal. Returns notes, without "note: ". Calling it again changes nothing and notes nothing: the
// launcher has done it when a worker does it.
std::vector<std::string> complete_config(RunConfig& run, const GivenOptions& given);

// Frameworks and external programs know no other GPUs than those of CUDA: for them `gpu` means
// `cuda`.
void name_gpu_of_others(RunConfig& run);

}  // namespace lockstep
