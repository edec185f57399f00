// ready_programs.h: the built-in program definitions. To add one, write programs/<name>.toml and
// put a sample of its output into tests/external/recorded/.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "external/definition.h"

namespace lockstep {

struct ReadyProgram {
  std::string_view name, text;  // text: TOML
};

std::span<const ReadyProgram> ready_programs();

// Whether a name is one of them, or looks like the path of a file.
bool is_program(const std::string& name_or_file);

// By name, or from a file if `name` looks like a path. Throws UsageError with all problems of the
// file, or with the known names.
Program load_program(const std::string& name_or_file);

}  // namespace lockstep
