// bundle.h: a program that brings its own loader and libraries, so that it runs on any system.
//
// All its files lie in one directory: `lockstep`, which starts the program by the loader, the
// program, the loader and the libraries. A process of it is the loader's as far as the system
// knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

// The directory `torch` that a launcher found, for its workers on other hosts: they are not started
// from a Python environment.
inline constexpr const char* kTorchVariable = "LOCKSTEP_TORCH_DIRECTORY";

// The file to start this program by, from the executable of its process (/proc/self/exe).
std::string startable(const std::string& executable);

// The names of all files of the bundle that this program starts; empty: it is none.
std::vector<std::string> bundle_files(const std::string& program);

// Ends the name of the file with the version of torch that another program of a bundle needs, and
// with its checksum. pip adds both to a bundle.
inline constexpr const char* kTorchVersionEnding = ".torch-version";

// Whether the program starts a bundle.
bool is_bundled(const std::string& program);

// Of another program of a bundle, "lockstep-torch": the path of its executable, which the loader
// starts, and that of the loader.
std::string bundled_executable(const std::string& program, std::string_view name);
std::string bundled_loader(const std::string& program);

}  // namespace lockstep
