#include "external/ready_programs.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/regular_file.h"
#include "base/text.h"
#include "external/definition_file.h"

namespace lockstep {
namespace {

bool looks_like_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".toml");
}

std::string whole_text(const std::string& path) {
  return read_regular_file(path, {.most_bytes = 1 << 20, .pipes = true});
}

Program checked(ReadProgram read) {
  std::vector<std::string> problems = std::move(read.problems);
  const std::vector<std::string> more = problems_in(read.program);
  problems.insert(problems.end(), more.begin(), more.end());
  if (!problems.empty()) throw UsageError("{}", fmt::join(problems, "\n"));
  return std::move(read.program);
}

std::vector<std::string> ready_names() {
  std::vector<std::string> names;
  for (const ReadyProgram& ready : ready_programs()) names.emplace_back(ready.name);
  return names;
}

}  // namespace

bool is_program(const std::string& name) {
  return looks_like_path(name) ||
         std::ranges::count(ready_programs(), name, &ReadyProgram::name) > 0;
}

Program load_program(const std::string& name) {
  if (looks_like_path(name)) {
    ReadProgram read = read_program(whole_text(name), name);
    const std::filesystem::path path = std::filesystem::absolute(name);
    read.program.name = path.stem().string();
    read.program.folder = path.parent_path().string();
    return checked(std::move(read));
  }
  for (const ReadyProgram& ready : ready_programs()) {
    if (ready.name != name) continue;
    ReadProgram read = read_program(ready.text, "ready-made");
    read.program.name = name;
    return checked(std::move(read));
  }
  throw UsageError("--program must be a TOML file or one of {}, not '{}'",
                   fmt::join(ready_names(), ", "), name);
}

}  // namespace lockstep
