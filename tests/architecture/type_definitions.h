// type_definitions.h: finds the classes, structs, unions and enums that a C++ file defines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// Names with their namespaces and enclosing classes, such as "lockstep::Store". Left out are types
// that no other file can mean: those in unnamed namespaces and inside functions. Preprocessor
// lines are ignored, so both sides of an #if count. Throws std::runtime_error when braces do not
// match.
std::vector<std::string> type_definitions(std::string_view source);

}  // namespace lockstep
