#include "app/flag_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.h"

namespace lockstep {
namespace {

constexpr const char* kBlank = " \t\r";

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

}  // namespace

std::vector<std::string> read_flag_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw UsageError("cannot read --flagfile {}: {}", path, std::strerror(errno));
  std::vector<std::string> words;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string text = trimmed(line);
    if (text.empty() || text.starts_with('#') || text.starts_with("//")) continue;
    if (!text.starts_with('-')) {
      throw UsageError("{}:{}: '{}' is no flag; write --name=value", path, number, text);
    }
    const size_t blank = text.find_first_of(kBlank);
    if (blank == std::string::npos || text.find('=') < blank) {
      words.push_back(text);
      continue;
    }
    words.push_back(text.substr(0, blank));
    words.push_back(trimmed(text.substr(blank)));
  }
  if (file.bad()) throw UsageError("cannot read --flagfile {}", path);  // a directory
  return words;
}

}  // namespace lockstep
