// build_facts.h: what this program was built from and what is part of it: lockstep --version
// --verbose.
#pragma once

#include <string>

#include "app/program.h"

namespace lockstep {

// Lines "name: value".
std::string build_facts(const RunContext& context);

}  // namespace lockstep
