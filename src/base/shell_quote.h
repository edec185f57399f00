// shell_quote.h: quotes words for a shell: for commands over ssh, in scripts, and in command
// lines that people copy.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

std::string shell_quoted(const std::string& word);  // any shell of the Bourne family reads it back
std::string shell_line(const std::vector<std::string>& words);

}  // namespace lockstep
