#include "report/analysis/fill_paths.h"

#include <algorithm>

#include "base/error.h"

namespace lockstep {
namespace {

bool lacks_path(const StoredRun& run) {
  return run.measured() && !run.result.simulated() && !run.result.path &&
         run.result.facts.devices > 1 && !run.raw_file.empty();
}

}  // namespace

void fill_paths(RunCollection& collection, size_t most) {
  if (std::ranges::count_if(collection.runs, lacks_path) > static_cast<std::ptrdiff_t>(most))
    return;
  for (size_t i = 0; i < collection.runs.size(); ++i) {
    StoredRun& run = collection.runs[i];
    if (!lacks_path(run)) continue;
    try {
      run.result.path = critical_path_of(read_raw(collection.directories[i], run));
    } catch (const Error&) {  // the budget then comes from mean phases, and says so
    }
  }
}

}  // namespace lockstep
