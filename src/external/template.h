// template.h: fills in {placeholders} of a text, and arithmetic with them: {threads*num_devices}.
// "{{" and "}}" are literal braces.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Throws UsageError for an unmatched brace or an invalid name.
std::vector<std::string> placeholders_in(std::string_view text);

// Every placeholder must have a value, and in arithmetic a whole number: else throws UsageError.
std::string expanded(std::string_view text, const std::map<std::string, std::string>& values);

}  // namespace lockstep
