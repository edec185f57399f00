// ready_programs.h: the definitions that come with lockstep. To add one, write programs/<name>.toml
// and record some of its output in tests/launch/recorded/.
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

// By name, or, when it looks like a path, from that file. Throws UsageError with every mistake of
// the file, or with the names there are.
Program load_program(const std::string& name_or_file);

}  // namespace lockstep
