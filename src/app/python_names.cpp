#include "app/python_names.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "external/ready_programs.h"
#include "framework/frameworks.h"

namespace lockstep {
namespace {

std::vector<std::string> known_names() {
  std::vector<std::string> names;
  for (const Framework& framework : frameworks()) names.emplace_back(framework.name);
  for (const ReadyProgram& program : ready_programs()) names.emplace_back(program.name);
  return names;
}

}  // namespace

void check_python_names(std::span<const std::string> entries) {
  const std::vector<std::string> names = known_names();
  for (const std::string& entry : entries) {
    const size_t equals = entry.find('=');
    if (equals == std::string::npos || entry.find('/') < equals) continue;  // a path for all
    const std::string name = entry.substr(0, equals);
    if (std::ranges::count(names, name) > 0) continue;
    const std::string near = closest(name, names);
    throw UsageError("--python {}: unknown framework or program '{}'; {}", entry, name,
                     near.empty() ? fmt::format("use one of {}", fmt::join(names, ", "))
                                  : fmt::format("did you mean {}?", near));
  }
}

}  // namespace lockstep
