// run_json.h: a configuration as JSON, both ways, by the table of options. Keys are the options'
// names with underscores; an absent value is null.
#pragma once

#include "config/json_fwd.h"
#include "config/run_config.h"

namespace lockstep {

Json run_to_json(const RunConfig& run);
// What the JSON lacks keeps its default. Throws UsageError on unknown keys and bad values.
RunConfig run_from_json(const Json& json);

}  // namespace lockstep
