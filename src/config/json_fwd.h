// json_fwd.h: the name of JSON values, for headers: the whole library takes a second to parse.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace lockstep {

using Json = nlohmann::ordered_json;  // keeps the order in which it was written

}  // namespace lockstep
