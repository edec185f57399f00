// host_name.h: what this machine calls itself.
#pragma once

#include <string>

namespace lockstep {

std::string host_name();  // "localhost" when the system does not say

}  // namespace lockstep
