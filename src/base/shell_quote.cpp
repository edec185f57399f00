#include "base/shell_quote.h"

#include <algorithm>
#include <string_view>

namespace lockstep {
namespace {

bool means_nothing_to_a_shell(char letter) {
  constexpr std::string_view kOthers = "-_./:,@%+";
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || kOthers.find(letter) != std::string_view::npos;
}

// "a=b" in front of a command would be an assignment; "--a=b" is a word like others.
bool is_plain(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [&](char letter) {
    return means_nothing_to_a_shell(letter) || (letter == '=' && word.front() == '-');
  });
}

}  // namespace

std::string shell_quoted(const std::string& word) {
  if (is_plain(word)) return word;
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
