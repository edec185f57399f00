// flag_file.h: reads a file of --flagfile: a flag per line; empty lines and comments (#, //) do not
// count.
#pragma once

#include <string>
#include <vector>

namespace lockstep {

// The words of all lines: "--name=value" is one, "--name value" is two. Throws UsageError.
std::vector<std::string> read_flag_file(const std::string& path);

// The words in the text of a file. Throws UsageError with file and line.
std::vector<std::string> words_of_flags(const std::string& text, const std::string& path);

}  // namespace lockstep
