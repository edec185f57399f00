#include "launch/shell_quote.h"

namespace lockstep {

std::string shell_quoted(const std::string& word) {
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      quoted += "'\\''";  // ends the quotes, a quote by itself, begins them again
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_quoted(word);
  return line;
}

}  // namespace lockstep
