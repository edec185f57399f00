// arithmetic.h: whole-number arithmetic between braces of a template: {threads*num_devices}.
//
// Names of placeholders, whole numbers, + - * / and parentheses. Division drops the remainder.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

bool is_placeholder_name(std::string_view text);

// The names in an expression, in order. Throws UsageError if it is not an expression.
std::vector<std::string> names_in(std::string_view expression);

// Throws UsageError if a value is not a whole number, for a division by 0, and if the result is
// too large.
std::string computed(std::string_view expression, const std::map<std::string, std::string>& values);

}  // namespace lockstep
