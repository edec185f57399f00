// json.h: JSON values, for sources that read or write them.
#pragma once

#include <nlohmann/json.hpp>

#include "config/json_fwd.h"
