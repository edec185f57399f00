// Where tests find the programs and files that they use.
//
// Functions, and not definitions on the command line: a path there would keep two clones from
// sharing what they compile. Only paths.cpp differs between them.
#pragma once

#include <string>
#include <string_view>

namespace lockstep {

std::string lockstep_program();

// A file or folder of the sources: project_path("docs/seeds.md").
std::string project_path(std::string_view name);

std::string fake_nvml_path();

// Of './run frameworks'; it need not be there.
std::string framework_python(std::string_view framework);

}  // namespace lockstep
