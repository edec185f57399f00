#include "launch/libraries.h"

namespace lockstep {

// "libdnnl.so.2 => /usr/lib/... (0x...)" or "libdnnl.so.2 => not found".
std::map<std::string, std::string> libraries_in(const std::vector<std::string>& ldd_lines) {
  constexpr std::string_view kArrow = " => ", kAddress = " (0x";
  std::map<std::string, std::string> libraries;
  for (const std::string& line : ldd_lines) {
    const size_t arrow = line.find(kArrow), name = line.find_first_not_of(" \t");
    if (arrow == std::string::npos || name >= arrow) continue;
    const std::string target = line.substr(arrow + kArrow.size());
    const bool found = target.starts_with('/');
    libraries[line.substr(name, arrow - name)] =
        found ? target.substr(0, target.rfind(kAddress)) : "";
  }
  return libraries;
}

std::string too_old(const std::vector<std::string>& ldd_lines) {
  for (const std::string& line : ldd_lines) {
    if (line.find("version `GLIBC") != std::string::npos) return line;
  }
  return "";
}

}  // namespace lockstep
