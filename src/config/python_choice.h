// python_choice.h: which Python runs a framework or an external program.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/context.h"

namespace lockstep {

// By entries of --python: "NAME=PATH" where `is_meant` accepts NAME, else "PATH"; else the Python
// of the active virtual environment, else python3 of PATH. A path is absolute, so that it holds in
// every working directory.
std::string chosen_python(std::span<const std::string> given,
                          const std::function<bool(const std::string& name)>& is_meant,
                          const Environment& environment);

}  // namespace lockstep
