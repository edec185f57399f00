#include "app/other_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <ostream>

#include "app/bundled_program.h"
#include "base/bundle.h"
#include "base/error.h"
#include "base/huge_pages.h"

namespace lockstep {

namespace {

// What the system executes.
std::string path_of(const OtherProgram& other, const Context& context) {
  if (is_bundled(context.program)) return bundled_executable(context.program, other.name);
  return (std::filesystem::path(context.program).parent_path() / other.name).string();
}

std::vector<std::string> words_of(const OtherProgram& other, const Context& context) {
  if (!is_bundled(context.program)) return {path_of(other, context)};
  const BundledStart start = bundled_start(context, other.name);
  if (!start.torch.empty()) setenv(kTorchVariable, start.torch.c_str(), /*overwrite=*/1);
  return start.words;
}

}  // namespace

bool is_built(const OtherProgram& other, const Context& context) {
  return access(path_of(other, context).c_str(), X_OK) == 0;
}

std::string remedy_for(const OtherProgram& other, const Context& context) {
  const bool bundled = is_bundled(context.program) && !other.installed_by.empty();
  return bundled ? fmt::format("{} adds it", other.installed_by)
                 : fmt::format("'{}' builds it", other.built_by);
}

void require_built(const OtherProgram& other, const Context& context) {
  if (is_built(other, context)) return;
  throw UsageError("--engine: {} is not {}; {}", path_of(other, context),
                   is_bundled(context.program) ? "installed" : "built", remedy_for(other, context));
}

void become(const OtherProgram& other, const Context& context, const std::string& command,
            std::span<const std::string> arguments) {
  require_built(other, context);
  std::vector<std::string> words = words_of(other, context);
  words.push_back(command);
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  context.out.flush();
  context.err.flush();
  // It reads the same line, and the same files. A process that has read none must not start now.
  if (!context.defaults.empty()) unsetenv(kDefaultsVariable);
  for (const auto& [name, value] : kHugePages) setenv(name, value, /*overwrite=*/0);
  execv(words.front().c_str(), pointers.data());
  throw Error("cannot start {}: {}", path_of(other, context), std::strerror(errno));
}

}  // namespace lockstep
