#include "selftest/fault.h"

#include <bit>
#include <cstdint>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {

Fault parse_fault(const std::string& text) {
  if (text.empty()) return {};
  const size_t first = text.find(':'), last = text.rfind(':');
  if (first == std::string::npos || first == last || first == 0 || last + 1 == text.size()) {
    throw UsageError("--inject-fault must be HOST:CORE:OPERATION, not '{}'", text);
  }
  std::string where = text.substr(first + 1, last - first - 1);
  if (whole_number(where)) where = "core " + where;
  return {.host = text.substr(0, first), .where = where, .operation = text.substr(last + 1)};
}

void flip_lowest_bit(float& number) {
  number = std::bit_cast<float>(std::bit_cast<uint32_t>(number) ^ 1u);
}

}  // namespace lockstep
