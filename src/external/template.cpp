#include "external/template.h"

#include <functional>

#include "base/error.h"
#include "external/arithmetic.h"

namespace lockstep {
namespace {

// Calls `plain` for literal text and `inside` for what is between braces, in order.
void walk(std::string_view text, const std::function<void(std::string_view)>& plain,
          const std::function<void(std::string_view)>& inside) {
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
    if (text[brace] == '}' || end == std::string_view::npos) {
      throw UsageError("'{}' has a brace outside a {{placeholder}}; write {{{{ or }}}} for braces",
                       text);
    }
    inside(text.substr(brace + 1, end - brace - 1));
    i = end + 1;
  }
}

}  // namespace

std::vector<std::string> placeholders_in(std::string_view text) {
  std::vector<std::string> names;
  walk(
      text, [](std::string_view) {},
      [&](std::string_view inside) {
        for (std::string& name : names_in(inside)) names.push_back(std::move(name));
      });
  return names;
}

std::string expanded(std::string_view text, const std::map<std::string, std::string>& values) {
  std::string result;
  walk(
      text, [&](std::string_view part) { result += part; },
      [&](std::string_view inside) {
        result +=
            is_placeholder_name(inside) ? values.at(std::string(inside)) : computed(inside, values);
      });
  return result;
}

}  // namespace lockstep
