// bundle.h: a program that brings its own loader and libraries, so that it runs on any system.
//
// All its files lie in one directory: `lockstep`, which starts the program by the loader, the
// program, the loader and the libraries. A process of it is the loader's as far as the system
// knows.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

// The file to start this program by, from the executable of its process (/proc/self/exe).
std::string startable(const std::string& executable);

// The names of all files of the bundle that this program starts; empty: it is none.
std::vector<std::string> bundle_files(const std::string& program);

}  // namespace lockstep
