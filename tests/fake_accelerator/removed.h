// removed.h: what mutate.py puts into the engine: whether a statement is left out, by its number in
// the environment.
#pragma once

#include <cstdlib>
#include <optional>

inline bool lockstep_removed(int number) {
  static const char* const wanted = std::getenv("LOCKSTEP_REMOVED");
  static const int removed = wanted ? std::atoi(wanted) : 0;
  return number == removed;
}
