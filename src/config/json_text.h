// json_text.h: JSON as text, also if it contains file names that are not UTF-8, and text as JSON,
// also if a stranger wrote it.
#pragma once

#include <string>
#include <string_view>

#include "config/json_fwd.h"

namespace lockstep {

// Names of files need not be UTF-8, which the text of JSON must be: what is not is replaced.
// Without indent it is one line.
std::string json_text(const Json& json, int indent = -1);

// The value of a text that somebody else may have written. Discarded (is_discarded()) if it is not
// JSON, or nested so deeply that walking it would exhaust the stack: no file of ours is.
constexpr int kDeepestJson = 64;
Json json_in(std::string_view text);

// The same, with make_printable(): for what is shown to somebody.
Json printable_json_in(std::string_view text);

// Replaces control characters in all strings and keys of the value, except tabs and ends of lines:
// what others wrote must not command the terminal that shows it.
void make_printable(Json& json);

}  // namespace lockstep
