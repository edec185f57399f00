// adapters.h: the Python files of adapters/, as data in the program.
#pragma once

#include <span>
#include <string_view>

namespace lockstep {

struct Adapter {
  std::string_view name;  // of the file, without .py
  std::string_view text;
};
std::span<const Adapter> adapters();

}  // namespace lockstep
