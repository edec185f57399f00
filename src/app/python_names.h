// python_names.h: checks the names in --python NAME=PATH.
#pragma once

#include <span>
#include <string>

namespace lockstep {

// A name is that of a framework or of an external program. Throws UsageError.
void check_python_names(std::span<const std::string> entries);

}  // namespace lockstep
