// json_text.h: JSON as text, also if it contains file names that are not UTF-8.
#pragma once

#include <string>

#include "config/json_fwd.h"

namespace lockstep {

// Names of files need not be UTF-8, which the text of JSON must be: what is not is replaced.
// Without indent it is one line.
std::string json_text(const Json& json, int indent = -1);

}  // namespace lockstep
