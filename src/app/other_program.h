// other_program.h: an engine that another program has linked in: this one becomes that one.
#pragma once

#include <span>
#include <string>

#include "app/program.h"

namespace lockstep {

// Whether the program is beside this one.
bool is_built(const OtherProgram& other, const Context& context);

// Same process, arguments, streams and signals. Returns only by throwing Error: when the program is
// not beside this one, saying how to build it, or cannot be started.
[[noreturn]] void become(const OtherProgram& other, const Context& context,
                         const std::string& command, std::span<const std::string> arguments);

}  // namespace lockstep
