#include "tensor/shape.h"

#include <fmt/ranges.h>

namespace lockstep {

int64_t Shape::elements() const {
  int64_t count = 1;
  for (const int64_t dim : dims_) count *= dim;
  return count;
}

std::string Shape::text() const { return fmt::format("{}", fmt::join(dims_, "x")); }

}  // namespace lockstep
