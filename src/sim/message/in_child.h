// in_child.h: a number that a child process computes.
#pragma once

#include <functional>

namespace lockstep {

// Forks: memory that `compute` takes, and libraries that it starts, end with the child. Throws
// Error if the child fails.
double in_child(const std::function<double()>& compute);

}  // namespace lockstep
