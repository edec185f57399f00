// version.h: the version of this program.
#pragma once

#include <string>

namespace lockstep {

std::string program_version();

}  // namespace lockstep
