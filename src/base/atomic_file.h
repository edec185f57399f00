// atomic_file.h: writes a file atomically: it appears complete or not at all.
//
// The text goes to a temporary name in the same directory, is flushed to disk, and takes the
// file's name in one rename. A crash in between leaves the old file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lockstep {

// Throws Error, naming the path and the reason.
void write_whole_file(const std::string& path, std::string_view text);

// Of "file.a1B2c3.part", as a file is named until it is whole: "file". Absent for other names.
std::optional<std::string> target_of_temporary(const std::string& name);

// Empty if a file could be written there, else why not. Leaves nothing behind.
// Throws DiskFullError when there is no room.
std::string why_unwritable(const std::string& path);

}  // namespace lockstep
