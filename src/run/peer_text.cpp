#include "run/peer_text.h"

#include "base/text.h"

namespace lockstep {

int64_t number_from_peer(int rank, std::string_view what, std::string_view text) {
  const auto number = whole_number(text);
  if (!number || *number < 0) {
    throw Error("rank {} sent {} in a form that cannot be read", rank, what);
  }
  return *number;
}

}  // namespace lockstep
