// leaks.h: what the address sanitizer does not hold against us.
#pragma once

namespace lockstep {

// A word for env, before a program that runs under mpirun: Open MPI gives back not all of its
// memory, and has unloaded the modules that suppressions could name. Means nothing without asan.
inline constexpr const char* kLeaksOfOpenMpi = "ASAN_OPTIONS=detect_leaks=0";

}  // namespace lockstep
