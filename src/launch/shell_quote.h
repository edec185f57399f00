// shell_quote.h: the one place where text becomes part of a shell's line: on the other side of ssh,
// which knows no other way to hand over words.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

std::string shell_quoted(const std::string& word);  // any shell of the Bourne family reads it back
std::string shell_line(const std::vector<std::string>& words);

}  // namespace lockstep
