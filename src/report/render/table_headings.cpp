#include "report/render/table_headings.h"

#include <sstream>

namespace lockstep {

std::string with_headings(const TextTable& table, std::span<const std::string> headings) {
  std::istringstream lines(table.text());
  std::string line, text;
  std::getline(lines, line);
  text = line + "\n";  // titles
  for (size_t i = 0; i < headings.size() && std::getline(lines, line); ++i) {
    const bool fresh = i == 0 || headings[i] != headings[i - 1];
    if (fresh && !headings[i].empty()) text += headings[i] + "\n";
    text += line + "\n";
  }
  return text;
}

}  // namespace lockstep
