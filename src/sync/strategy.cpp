#include "sync/strategy.h"

#include <algorithm>

namespace lockstep {

const CarriedRow* Carried::find(std::string_view name) const {
  const auto found = std::ranges::find(rows, name, &CarriedRow::name);
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace lockstep
