#include "external/template.h"

#include <functional>

#include "base/error.h"

namespace lockstep {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// Calls `plain` for literal text and `name` for placeholders, in order.
void walk(std::string_view text, const std::function<void(std::string_view)>& plain,
          const std::function<void(std::string_view)>& name) {
  for (size_t i = 0; i < text.size();) {
    const size_t brace = std::min(text.find_first_of("{}", i), text.size());
    plain(text.substr(i, brace - i));
    if (brace == text.size()) return;
    if (text.substr(brace, 2) == "{{" || text.substr(brace, 2) == "}}") {
      plain(text.substr(brace, 1));
      i = brace + 2;
      continue;
    }
    const size_t end = text.find('}', brace);
    const std::string_view inside = text[brace] == '{' && end != std::string_view::npos
                                        ? text.substr(brace + 1, end - brace - 1)
                                        : std::string_view();
    if (!is_name(inside)) {
      throw UsageError("'{}' has a brace outside a {{placeholder}}; write {{{{ or }}}} for braces",
                       text);
    }
    name(inside);
    i = end + 1;
  }
}

}  // namespace

std::vector<std::string> placeholders_in(std::string_view text) {
  std::vector<std::string> names;
  walk(
      text, [](std::string_view) {}, [&](std::string_view name) { names.emplace_back(name); });
  return names;
}

std::string expanded(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  walk(
      text, [&](std::string_view part) { result += part; },
      [&](std::string_view name) { result += values.at(std::string(name)); });
  return result;
}

}  // namespace lockstep
