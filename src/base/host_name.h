// host_name.h: the host name of this machine.
#pragma once

#include <string>

namespace lockstep {

std::string host_name();  // "localhost" when the system does not say

}  // namespace lockstep
