#include "app/other_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "base/error.h"

namespace lockstep {

void become(const OtherProgram& other, const Context& context, const std::string& command,
            std::span<const std::string> arguments) {
  const std::filesystem::path path =
      std::filesystem::path(context.program).parent_path() / other.name;
  if (access(path.c_str(), X_OK) != 0) {
    throw UsageError("--engine: {} is not built; '{}' builds it", path.string(), other.built_by);
  }
  std::vector<std::string> words = {path.string(), command};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  context.out.flush();
  context.err.flush();
  execv(path.c_str(), pointers.data());
  throw Error("cannot start {}: {}", path.string(), std::strerror(errno));
}

}  // namespace lockstep
