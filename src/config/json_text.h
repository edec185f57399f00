// json_text.h: JSON as text, also if it contains file names that are not UTF-8.
#pragma once

#include <string>

#include "config/run_json.h"

namespace lockstep {

// Names of files need not be UTF-8, which the text of JSON must be: what is not is replaced.
// Without indent it is one line.
inline std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockstep
