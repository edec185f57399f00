// gpu_facts.h: the GPUs of this host, for the doctor and for reports.
#pragma once

#include "config/json_fwd.h"

namespace lockstep {

// An object for each GPU: identity, limits, memory errors, reasons for throttling, and the numbers
// of the GPUs that it cannot read directly. Empty: there is none, or no management library.
Json gpu_facts();

}  // namespace lockstep
