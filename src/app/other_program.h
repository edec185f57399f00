// other_program.h: an engine that another program has linked in: this one becomes that one.
#pragma once

#include <span>
#include <string>

#include "app/program.h"

namespace lockstep {

// Whether the program is beside this one, or in the same bundle.
bool is_built(const OtherProgram& other, const Context& context);

// What makes it available: "'./run torch' builds it"; for a bundle, "the wheel of './run wheel
// torch' adds it".
std::string remedy_for(const OtherProgram& other, const Context& context);

// Throws UsageError that says how to get it, when it is not.
void require_built(const OtherProgram& other, const Context& context);

// Same process, arguments, streams and signals. Returns only by throwing Error: when the program is
// not beside this one, saying how to get it, or cannot be started.
[[noreturn]] void become(const OtherProgram& other, const Context& context,
                         const std::string& command, std::span<const std::string> arguments);

}  // namespace lockstep
