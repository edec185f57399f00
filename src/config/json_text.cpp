#include "config/json_text.h"

#include "config/json.h"

namespace lockstep {

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockstep
