// list_directory.h: the sorted entries of a directory, with errors for users.
#pragma once

#include <filesystem>
#include <vector>

namespace lockstep {

// Hidden files are left out. Throws Error if it is missing, not a directory, or not readable.
std::vector<std::filesystem::path> list_directory(const std::filesystem::path& directory);

}  // namespace lockstep
