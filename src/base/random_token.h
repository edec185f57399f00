// random_token.h: a secret that nobody can guess: it names a run and lets only its own in.
#pragma once

#include <string>

namespace lockstep {

std::string random_token();  // 32 hexadecimal digits from the system's random numbers

}  // namespace lockstep
