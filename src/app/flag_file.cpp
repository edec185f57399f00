#include "app/flag_file.h"

#include <sstream>

#include "base/error.h"
#include "base/regular_file.h"

namespace lockstep {
namespace {

constexpr int64_t kMostBytes = 1 << 20;
constexpr const char* kBlank = " \t\r";

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

std::string contents_of(const std::string& path) {
  try {
    return read_regular_file(path, {.most_bytes = kMostBytes, .pipes = true});
  } catch (const UsageError& error) {  // adds the option
    throw UsageError("--flagfile: {}", error.what());
  }
}

}  // namespace

std::vector<std::string> read_flag_file(const std::string& path) {
  return words_of_flags(contents_of(path), path);
}

std::vector<std::string> words_of_flags(const std::string& text, const std::string& path) {
  std::istringstream file(text);
  std::vector<std::string> words;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string flag = trimmed(line);
    if (flag.empty() || flag.starts_with('#') || flag.starts_with("//")) continue;
    if (!flag.starts_with('-')) {
      throw UsageError("{}:{}: '{}' is no flag; write --name=value", path, number, flag);
    }
    const size_t blank = flag.find_first_of(kBlank);
    if (blank == std::string::npos || flag.find('=') < blank) {
      words.push_back(flag);
      continue;
    }
    words.push_back(flag.substr(0, blank));
    words.push_back(trimmed(flag.substr(blank)));
  }
  return words;
}

}  // namespace lockstep
