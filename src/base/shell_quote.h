// shell_quote.h: the one place where words become a shell's line: on the other side of ssh, which
// knows no other way to hand them over, in scripts, and in command lines for people to copy.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

std::string shell_quoted(const std::string& word);  // any shell of the Bourne family reads it back
std::string shell_line(const std::vector<std::string>& words);

}  // namespace lockstep
