// definition_file.h: reads the definition of a program from TOML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "external/definition.h"

namespace lockstep {

struct ReadProgram {
  Program program;                    // what could be read
  std::vector<std::string> problems;  // unknown keys, values of the wrong type
};

// `source` stands before the line in messages.
ReadProgram read_program(std::string_view text, const std::string& source);

}  // namespace lockstep
