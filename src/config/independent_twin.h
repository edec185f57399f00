// independent_twin.h: the same run without communication: what a run is compared with to tell how
// much of its loss communication causes.
#pragma once

#include "config/run_config.h"

namespace lockstep {

// --variable-update independent; options that require another strategy have their defaults.
RunConfig independent_twin(const RunConfig& run);

// Whether the twin is another run: several workers of our own that communicate.
bool has_independent_twin(const RunConfig& run, int devices);

}  // namespace lockstep
