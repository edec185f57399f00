// list_directory.h: what is in a directory, sorted, with errors in the user's words.
#pragma once

#include <filesystem>
#include <vector>

namespace lockstep {

// Hidden files are left out. Throws Error when it is missing, no directory, or may not be read.
std::vector<std::filesystem::path> list_directory(const std::filesystem::path& directory);

}  // namespace lockstep
