// template.h: text with {placeholders}. "{{" and "}}" are braces.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Throws UsageError for a brace without its partner or a name that is none.
std::vector<std::string> placeholders_in(std::string_view text);

// Every placeholder must have a value.
std::string expanded(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace lockstep
