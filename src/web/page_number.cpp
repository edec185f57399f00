#include "web/page_number.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "config/json.h"

namespace lockstep {

Json page_number(double value, int digits) {
  // std::stod refuses numbers that are very small or very large.
  const double rounded = std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
  return std::isfinite(rounded) ? Json(rounded) : Json(nullptr);
}

}  // namespace lockstep
