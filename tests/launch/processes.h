// processes.h: what tests need to know about processes that are not theirs.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <chrono>
#include <fstream>
#include <string>

namespace lockstep {

// Gone, or dead and waiting for whoever inherited it.
inline bool has_ended(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string text;
  if (!std::getline(file, text)) return true;
  const char state = text.at(text.rfind(')') + 2);
  return state == 'Z' || state == 'X';
}

// Killing takes effect a moment after kill() returns.
inline bool ends_soon(pid_t pid) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!has_ended(pid)) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    sched_yield();
  }
  return true;
}

}  // namespace lockstep
