// libraries.h: which shared libraries a program needs, by what ldd says of it.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace lockstep {

// Where each library is, by its name; empty: not found there. What has no place of its own (the
// loader, the kernel's vdso) is left out.
std::map<std::string, std::string> libraries_in(const std::vector<std::string>& ldd_lines);

// The line that says that the system is too old for the program; empty: there is none.
std::string too_old(const std::vector<std::string>& ldd_lines);

}  // namespace lockstep
