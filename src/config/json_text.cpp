#include "config/json_text.h"

#include <algorithm>

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

// In UTF-8 the control characters beyond ASCII are C2 80 to C2 9F.
void make_printable(std::string& text) {
  for (size_t i = 0; i < text.size(); ++i) {
    const auto letter = static_cast<unsigned char>(text[i]);
    const bool ascii = (letter < 0x20 && letter != '\t' && letter != '\n') || letter == 0x7f;
    const bool beyond =
        letter == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0;
    if (beyond) text.erase(i, 1);
    if (ascii || beyond) text[i] = '?';
  }
}

// Keys of an object cannot be changed in place. Of two that become one the first stays.
void make_keys_printable(Json& object) {
  const auto named = [](std::string key) {
    make_printable(key);
    return key;
  };
  auto& members = object.get_ref<Json::object_t&>();
  if (std::ranges::all_of(members,
                          [&](const auto& each) { return named(each.first) == each.first; }))
    return;
  Json clean = Json::object();
  for (auto& [key, value] : members) clean.emplace(named(key), std::move(value));
  object = std::move(clean);
}

}  // namespace

std::string json_text(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

void make_printable(Json& json) {
  if (json.is_string()) make_printable(json.get_ref<std::string&>());
  if (!json.is_structured()) return;
  for (Json& value : json) make_printable(value);
  if (json.is_object()) make_keys_printable(json);
}

Json json_in(std::string_view text) {
  if (nests_deeper(text, kDeepestJson)) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, /*allow_exceptions=*/false);
}

Json printable_json_in(std::string_view text) {
  Json json = json_in(text);
  make_printable(json);
  return json;
}

}  // namespace lockstep
