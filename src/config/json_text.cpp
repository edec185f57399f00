#include "config/json_text.h"

#include "config/json.h"

namespace lockstep {
namespace {

bool nests_deeper(std::string_view text, int most) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (in_string && letter == '\\') {
      ++i;
    } else if (letter == '"') {
      in_string = !in_string;
    } else if (!in_string && (letter == '{' || letter == '[')) {
      if (++depth > most) return true;
    } else if (!in_string && (letter == '}' || letter == ']')) {
      --depth;
    }
  }
  return false;
}

}  // namespace

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

Json json_in(std::string_view text) {
  if (nests_deeper(text, kDeepestJson)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

}  // namespace lockstep
