// libraries.h: reads the output of ldd: which shared libraries a program needs.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace lockstep {

// Path of each library by name; empty: not found. Entries without a path (the loader, the vdso) are
// left out.
std::map<std::string, std::string> libraries_in(const std::vector<std::string>& ldd_lines);

// The line saying that the C library is too old for the program; empty: none.
std::string too_old(const std::vector<std::string>& ldd_lines);

}  // namespace lockstep
