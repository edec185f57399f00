// processes.h: what tests need to know about processes that are not theirs.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/wait_until.h"

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
  return wait_until([&] { return has_ended(pid); });
}

// Those with both texts in their environment, by which a test marks what it starts.
inline std::vector<pid_t> processes_with(const std::string& mark, const std::string& text = "") {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream file(entry.path() / "environ");
    const std::string environment{std::istreambuf_iterator<char>(file), {}};
    const auto has = [&](const std::string& part) {
      return environment.find(part) != std::string::npos;
    };
    if (has(mark) && has(text)) found.push_back(std::stoi(name));
  }
  return found;
}

}  // namespace lockstep
