// validate_text.h: a validation as tables.
#pragma once

#include <string>

#include "config/json_fwd.h"
#include "sim/validate/error_summary.h"

namespace lockstep {

std::string validation_table(const Validation& validation);  // every row
std::string error_table(const Validation& validation);       // by source
Json validation_json(const Validation& validation);

}  // namespace lockstep
