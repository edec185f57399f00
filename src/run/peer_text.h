// peer_text.h: reads texts of other ranks. The ports of Gloo are open to strangers, so a text may
// be anything: what cannot be read ends the run with a line that says whose it was.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "config/json.h"
#include "config/json_text.h"

namespace lockstep {

// What `read` makes of the text as JSON. `what` it is: "the record of its run".
template <typename Read>
auto read_from_peer(int rank, std::string_view what, std::string_view text, const Read& read) {
  try {
    return read(printable_json_in(text));
  } catch (const Json::exception&) {  // its words are of the JSON library
    throw Error("rank {} sent {} in a form that cannot be read", rank, what);
  }
}

// A number from 0.
int64_t number_from_peer(int rank, std::string_view what, std::string_view text);

}  // namespace lockstep
