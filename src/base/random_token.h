// random_token.h: a random secret that identifies a run and authenticates its processes.
#pragma once

#include <string>

namespace lockstep {

std::string random_token();  // 32 hexadecimal digits from the system's random numbers

}  // namespace lockstep
