#include "app/other_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "base/error.h"

namespace lockstep {

namespace {

std::string path_of(const OtherProgram& other, const Context& context) {
  return (std::filesystem::path(context.program).parent_path() / other.name).string();
}

}  // namespace

bool is_built(const OtherProgram& other, const Context& context) {
  return access(path_of(other, context).c_str(), X_OK) == 0;
}

void become(const OtherProgram& other, const Context& context, const std::string& command,
            std::span<const std::string> arguments) {
  const std::string path = path_of(other, context);
  if (!is_built(other, context)) {
    throw UsageError("--engine: {} is not built; '{}' builds it", path, other.built_by);
  }
  std::vector<std::string> words = {path, command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  context.out.flush();
  context.err.flush();
  unsetenv(kDefaultsVariable);  // it reads the same line, and the same files
  execv(path.c_str(), pointers.data());
  throw Error("cannot start {}: {}", path, std::strerror(errno));
}

}  // namespace lockstep
